import ArgumentParser
import Dispatch
import GroveClient
import OrderedJSON

struct Send: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send an event to an instance; the reply means that its step is stored.",
        discussion: """
            An event is a word, a JSON string, or a JSON object with a "type". An instance that \
            doesn't exist is created, unless --create never.

              grove send counter/a increment
              grove send counter/a '{"type":"add","amount":5}' --reply state
              grove send order/o-1 '{"type":"pay","amount":30}' --dedup k-17 --expect 3
              grove send order/o-1 '{"type":"ship","track":"T-1"}' --settle own --timeout 2m
              generate-events | grove send counter/a - --dedup auto

            With '-' for the event, each line of standard input is an event, and each gets one \
            line of output, in the same order. Many are under way at a time. A refused event \
            doesn't stop the others; the exit code is that of the first error.

            With --dedup an event can be sent again without being applied twice. '-' uses the \
            keys KEY-1, KEY-2 and so on. 'auto' makes a random key, which the error message has \
            when the outcome is unknown.

            With --settle the reply comes when the effects of the event have ended ('own'), or \
            those and all that follow from them ('tree'), with one line per effect. --timeout \
            limits that wait.
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Argument(
        help: "The event: a word, JSON, or - for lines of standard input.",
        completion: NameCompletion.events)
    var event: String
    @Option(help: ArgumentHelp("Apply this event once per key, or 'auto'.", valueName: "key"))
    var dedup: String?
    @Option(help: ArgumentHelp("Only at this version, or 'absent' or 'exists'.", valueName: "v"))
    var expect: Expectation?
    @Option(help: "Whether the event may create the instance.") var create: CreationMode?
    @Option(help: "The parts to show: version, also state, or also outputs and effects.")
    var reply = ReplyDetail.min
    @Option(help: "The effects to wait for: none, own or tree.") var settle = Settling.none
    @OptionGroup var connection: ConnectionFlags

    func validate() throws { if settle != .none { _ = try connection.wait() } }

    func run(with client: Client) async throws {
        let key = dedup == "auto" ? Send.randomKey() : dedup
        if event == "-" { return try await sendLines(with: client, key: key) }
        let request = try request(event, key: key)
        let pending = client.submit(request, timeout: try patience())
        switch await pending.outcome(SendReply.init) {
        case .success(let reply): try show(reply)
        case .failure(let error):
            if dedup == "auto", let key, error.isRetryable {
                Output.note("the event went out with --dedup \(key)")
            }
            throw error
        }
    }

    /// A line of standard input that was submitted, or can't be.
    private typealias Line = (number: Int, reply: Result<PendingReply, ValidationError>)

    private func sendLines(with client: Client, key: String?) async throws {
        var firstCode: ExitCode?
        let room = DispatchSemaphore(value: Pipeline.requestsMax)
        for try await line in lines(client, key: key, room: room, patience: try patience()) {
            switch line.reply {
            case .failure(let error):
                let reason = format.noteStyle.safe(error.message)
                Output.note("line \(line.number): error: \(reason)")
                if format.json { try Output.line(Failures.json(.invalidRequest(error.message))) }
                firstCode = firstCode ?? .validationFailure
            case .success(let pending):
                switch await pending.outcome(SendReply.init) {
                case .success(let reply): try show(reply)
                case .failure(let error):
                    let which = key.map { " (--dedup \($0)-\(line.number))" } ?? ""
                    Output.note("line \(line.number)\(which):")
                    try report(error)
                    firstCode = firstCode ?? Failures.exitCode(error)
                }
            }
            room.signal()
        }
        if let firstCode { throw firstCode }
    }

    /// Reads standard input on a separate thread, because reading blocks, and submits its lines
    /// while there is `room`.
    private func lines(
        _ client: Client, key: String?, room: DispatchSemaphore, patience: Duration
    ) -> AsyncThrowingStream<Line, any Error> {
        AsyncThrowingStream { continuation in
            DispatchQueue.global().async {
                do {
                    let read = try LineSource.standardInput()
                    var number = 0
                    while let line = try read() {
                        number += 1
                        guard !line.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) else {
                            continue
                        }
                        room.wait()
                        let request = Result { () throws(ValidationError) in
                            try self.request(line, key: key.map { "\($0)-\(number)" })
                        }
                        let reply = request.map { client.submit($0, timeout: patience) }
                        continuation.yield((number, reply))
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
    }

    /// The request of a line of standard input.
    private func request(_ line: [UInt8], key: String?) throws(ValidationError) -> Request {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
        guard let event = String(validating: line, as: UTF8.self) else {
            throw ValidationError("it is no UTF-8")
        }
        return try request(event, key: key)
    }

    private func request(_ event: String, key: String?) throws(ValidationError) -> Request {
        Request.send(
            to: to, event: try EventText(event).bytes, dedup: key, expect: expect,
            create: create, reply: reply, settle: settle, for: try connection.wait())
    }

    /// The longest time for a reply, with the wait of the server.
    private func patience() throws(ValidationError) -> Duration {
        connection.patience + (settle == .none ? .zero : try connection.wait())
    }

    private func show(_ reply: SendReply) throws {
        if format.json { return try Output.line(reply.reply.text) }
        let change = reply.isDuplicate ? "repeated" : reply.isChanged ? "changed" : "unchanged"
        var words = ["\(to) v\(reply.version)", change]
        if reply.isDone { words.append("done") }
        if let state = reply.state { words.append("state \(state)") }
        let lines =
            [words.joined(separator: "  ")] + reply.outputs.map { "  output  \($0)" }
            + reply.effects.map { "  effect  \(EffectLine.text($0, format.style))" }
            + (reply.settled ?? []).map { "  settled  \(EffectLine.text($0))" }
        for line in lines { try Output.line(format.style.safe(line)) }
    }

    private static func randomKey() -> String {
        let numbers = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return "cli-" + numbers.map { String($0, radix: 36) }.joined()
    }
}
