import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A server of HTTP/1.1 on a loopback address and a port of the system's choice, that answers as
/// the test says.
final class TestServer: Sendable {
    /// What arrived.
    struct Request: Sendable {
        var method: String
        var target: String
        var headers: HTTPHeaders
        var body: String
    }

    /// What the server does about it.
    enum Answer: Sendable {
        /// A whole answer.
        case reply(Int, [String: String] = [:], body: [UInt8] = [])
        /// The beginning of a body, then nothing more.
        case beginning(announced: Int, body: [UInt8])
        /// The beginning of a body, then the end of the connection.
        case torn(announced: Int, body: [UInt8])
        /// A body without an end, as fast as it is taken.
        case endless
        /// Headers without an end, as fast as they are taken.
        case endlessHeaders
        /// Nothing.
        case silence

        static func reply(_ status: Int, _ headers: [String: String] = [:], _ text: String) -> Self
        {
            .reply(status, headers, body: Array(text.utf8))
        }
    }

    /// What has happened so far.
    struct Record: Sendable {
        var requests: [Request] = []
        var connections = 0
        var bytesSent = 0
    }

    private let channel: any Channel
    private let state: NIOLockedValueBox<Record>
    private let closed: AsyncStream<Void>
    private let arrived: AsyncStream<Void>

    let port: Int

    var record: Record { state.withLockedValue { $0 } }

    /// Host and port, as they stand in a URL and in a pattern.
    var authority: String { "127.0.0.1:\(port)" }

    private init(
        channel: any Channel, state: NIOLockedValueBox<Record>, closed: AsyncStream<Void>,
        arrived: AsyncStream<Void>
    ) {
        self.channel = channel
        self.state = state
        self.closed = closed
        self.arrived = arrived
        port = channel.localAddress?.port ?? 0
    }

    /// Runs `body` with a server.
    static func with<Result>(
        address: String = "127.0.0.1", port: Int = 0, tls: NIOSSLContext? = nil,
        answer: @escaping @Sendable (Request) -> Answer,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let state = NIOLockedValueBox(Record())
        let (closed, closing) = AsyncStream<Void>.makeStream()
        let (arrived, arriving) = AsyncStream<Void>.makeStream()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    state.withLockedValue { $0.connections += 1 }
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(
                        AnsweringHandler(
                            answer: answer, state: state, arriving: arriving, closing: closing))
                }
            }
            .bind(host: address, port: port).get()
        let server = TestServer(
            channel: channel, state: state, closed: closed, arrived: arrived)
        do {
            let result = try await body(server)
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }

    /// Waits until a connection is closed.
    func connectionClosed() async { for await _ in closed { return } }

    /// Waits until a request has arrived.
    func requestArrived() async { for await _ in arrived { return } }
}

/// Collects a request and does what its answer says.
private final class AnsweringHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: @Sendable (TestServer.Request) -> TestServer.Answer
    private let state: NIOLockedValueBox<TestServer.Record>
    private let arriving: AsyncStream<Void>.Continuation
    private let closing: AsyncStream<Void>.Continuation
    private var request: TestServer.Request?

    init(
        answer: @escaping @Sendable (TestServer.Request) -> TestServer.Answer,
        state: NIOLockedValueBox<TestServer.Record>, arriving: AsyncStream<Void>.Continuation,
        closing: AsyncStream<Void>.Continuation
    ) {
        self.answer = answer
        self.state = state
        self.arriving = arriving
        self.closing = closing
    }

    func channelInactive(context: ChannelHandlerContext) { closing.yield() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = TestServer.Request(
                method: head.method.rawValue, target: head.uri, headers: head.headers, body: "")
        case .body(let buffer):
            request?.body += String(buffer: buffer)
        case .end:
            guard let request else { return }
            self.request = nil
            state.withLockedValue { $0.requests.append(request) }
            arriving.yield()
            act(answer(request), context)
        }
    }

    private func act(_ answer: TestServer.Answer, _ context: ChannelHandlerContext) {
        switch answer {
        case .reply(let status, let headers, let body):
            var headers = HTTPHeaders(headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            if !headers.contains(name: "content-length") {
                headers.add(name: "content-length", value: "\(body.count)")
            }
            head(status, headers, context)
            if !body.isEmpty { part(body, context) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .beginning(let announced, let body):
            head(200, ["content-length": "\(announced)"], context)
            part(body, context)
        case .torn(let announced, let body):
            head(200, ["content-length": "\(announced)"], context)
            part(body, context)
            context.close(promise: nil)
        case .endless:
            head(200, [:], context)
            pour(context, Array(repeating: UInt8(ascii: "x"), count: 1 << 16))
        case .endlessHeaders:
            pourRaw(context, "HTTP/1.1 200 OK\r\n")
        case .silence: break
        }
    }

    private func head(_ status: Int, _ headers: HTTPHeaders, _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func part(_ body: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(
            wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    }

    private func pour(_ context: ChannelHandlerContext, _ body: [UInt8]) {
        let part = wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body))))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(part).whenSuccess {
            let (handler, context) = bound.value
            handler.state.withLockedValue { $0.bytesSent += body.count }
            handler.pour(context, body)
        }
    }

    /// Sends text past the encoder, which would know better, again and again.
    private func pourRaw(_ context: ChannelHandlerContext, _ text: String) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        guard
            let encoder = try? context.pipeline.syncOperations.context(
                handlerType: HTTPResponseEncoder.self)
        else { return }
        encoder.writeAndFlush(NIOAny(ByteBuffer(string: text))).whenSuccess {
            let (handler, context) = bound.value
            handler.state.withLockedValue { $0.bytesSent += text.utf8.count }
            handler.pourRaw(context, Self.filler)
        }
    }

    private static let filler = String(repeating: "X-Filler: 0123456789\r\n", count: 500)
}
