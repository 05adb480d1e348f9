import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OrderedJSON
public import Transducers

/// The handler `http`: makes the request that a machine has described, see ``HTTPRequest``.
///
/// Its result is `{"status":200,"headers":{…},"body":…}`. Headers have their names in lower case,
/// and several of one name are joined by `, `. The body is the value if it is JSON, a string if
/// it is other text, and `null` if it is empty.
///
/// - A try **fails** and may be made again when there is no connection or no whole answer, when
///   it takes too long, and when the server answers 408, 425, 429 or 5xx.
/// - It fails **for good** when the request is malformed or goes where ``HTTPOptions`` doesn't
///   allow, when the answer is too large or no UTF-8, and when redirects don't end.
/// - Every other answer is a **result**, a 404 as well: the machine decides.
///
/// The name of a host is looked up once. Every address it has is checked, and the connection goes
/// to one that was checked. Proxies that the environment names aren't used.
///
/// A request may arrive more than once. Each carries the effect's key as `Idempotency-Key`, the
/// same every time, so that the other side can tell.
public enum HTTPHandler {
    /// What machines call it.
    public static let name = "http"

    /// The handler, with connections of its own.
    public static func make(options: HTTPOptions) -> EffectHandler {
        make(options: options, resolve: SystemResolver.addresses)
    }

    /// The handler with a resolver of the test's.
    package static func make(
        options: HTTPOptions, resolve: @escaping NameResolver
    ) -> EffectHandler {
        let gate = HTTPGate(options: options, resolve: resolve)
        let clients = PinnedClients(options: options)
        return EffectHandler(
            name, concurrencyMax: options.concurrencyMax, timeout: options.timeoutMax
        ) { argument, context in
            let request = try HTTPRequest(argument: argument)
            let call = HTTPCall(gate: gate, clients: clients, attempt: context.attempt)
            return try await call.run(request, key: context.key)
        }
    }
}

/// One request with the redirects that follow it, under one time limit.
struct HTTPCall: Sendable {
    let gate: HTTPGate
    let clients: PinnedClients
    let attempt: Int

    private var options: HTTPOptions { gate.options }

    /// Makes the request.
    ///
    /// - Throws: `PermanentFailure`, `CancellationError`, or what is wrong with this try.
    func run(_ request: HTTPRequest, key: String) async throws -> JSONValue {
        let first = try HTTPHop(request, key: key)
        let wanted = request.timeoutMilliseconds.map { Duration.milliseconds($0) }
        let limit = min(wanted ?? options.timeout, options.timeoutMax)
        return try await withThrowingTaskGroup(of: JSONValue.self) { group in
            group.addTask { try await follow(first) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw HTTPFailure("the server took longer than \(limit)")
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private func follow(_ first: HTTPHop) async throws -> JSONValue {
        var hop = first
        var seen: Set<String> = []
        while true {
            let place = try await gate.admit(hop.url, attempt: attempt)
            let client = await clients.client(for: place)
            defer { withExtendedLifetime(client) {} }
            let response = try await send(hop, by: client.client)
            if options.redirectsMax > 0,
                let next = try hop.following(
                    status: Int(response.status.code),
                    location: response.headers.first(name: "location"))
            {
                seen.insert("\(hop.method) \(hop.url.text)")
                guard !seen.contains("\(next.method) \(next.url.text)") else {
                    throw PermanentFailure("the server's redirects go round in a circle")
                }
                guard seen.count <= options.redirectsMax else {
                    throw PermanentFailure(
                        "the server redirects more than \(options.redirectsMax) times")
                }
                hop = next
                continue
            }
            return try await result(response, of: hop)
        }
    }

    private func send(
        _ hop: HTTPHop, by client: HTTPClient
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: hop.url.text)
        request.method = HTTPMethod(rawValue: hop.method)
        for header in hop.headers { request.headers.add(name: header.name, value: header.value) }
        if let body = hop.body { request.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            // The limit of the whole call comes first; this is only what the library wants.
            return try await client.execute(request, timeout: .hours(24))
        } catch {
            try Task.checkCancellation()
            throw HTTPFailure("no answer from \(hop.url.authority): \(error)")
        }
    }

    // MARK: The answer

    /// Reads an answer. One that isn't read to its end is closed with its connection.
    private func result(_ response: HTTPClientResponse, of hop: HTTPHop) async throws -> JSONValue {
        let status = Int(response.status.code)
        guard ![408, 425, 429].contains(status), !(500...599).contains(status) else {
            throw HTTPFailure("the server answered \(status)")
        }
        let bytes = hop.method == "HEAD" ? [] : try await read(response)
        var headers = JSONObject()
        for (name, value) in response.headers {
            let name = name.lowercased()
            let earlier = headers[name]?.string.map { $0 + ", " } ?? ""
            headers[name] = .string(earlier + value)
        }
        return [
            "status": .integer(Int64(status)), "headers": .object(headers),
            "body": try value(of: bytes),
        ]
    }

    private func read(_ response: HTTPClientResponse) async throws -> [UInt8] {
        let bytesMax = options.responseBytesMax
        let tooLarge = PermanentFailure("the server's answer has more than \(bytesMax) bytes")
        if let announced = response.headers.first(name: "content-length").flatMap({ Int($0) }),
            announced > bytesMax
        {
            throw tooLarge
        }
        var bytes: [UInt8] = []
        do {
            for try await part in response.body {
                guard bytes.count + part.readableBytes <= bytesMax else { throw tooLarge }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let error as PermanentFailure {
            throw error
        } catch {
            try Task.checkCancellation()
            throw HTTPFailure("the answer broke off: \(error)")
        }
        // A body ends early and without an error when its reader is cancelled.
        try Task.checkCancellation()
        return bytes
    }

    private func value(of bytes: [UInt8]) throws(PermanentFailure) -> JSONValue {
        guard !bytes.isEmpty else { return .null }
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            // No JSON: text, if it is that.
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PermanentFailure("the server's answer is neither JSON nor text in UTF-8")
        }
        return .string(text)
    }
}
