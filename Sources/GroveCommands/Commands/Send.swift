import ArgumentParser
import Dispatch
import GroveClient
import OrderedJSON

/// `grove send`
struct Send: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send an event to an instance; the reply means that it is stored.",
        discussion: """
            An event is a bare word, a JSON string, or a JSON object with a "type". An instance \
            that doesn't exist is created, unless --create never.

              grove send counter/a increment
              grove send counter/a '{"type":"add","amount":5}' --reply state
              grove send order/o-1 '{"type":"pay","amount":30}' --dedup k-17 --expect 3
              grove send order/o-1 '{"type":"ship","track":"T-1"}' --settle own --timeout 2m
              generate-events | grove send counter/a - --dedup auto

            With '-' for the event, each line of standard input is an event, and each gets one \
            line of output, in the same order. Many are under way at a time; one that is refused \
            doesn't stop the others, and the exit code is that of the first error.

            With --dedup the same event can be repeated without being done twice: with the key \
            as given, with '-' KEY-1, KEY-2 and so on, with 'auto' a key made up here, which the \
            error message repeats when the outcome is unknown.

            With --settle the reply comes when the effects have ended that the event asks for \
            ('own'), or those and all that follow from them ('tree'), and one line each says \
            how; --timeout is then how long that may take.
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Argument(
        help: "The event: a word, JSON, or - for lines of standard input.",
        completion: NameCompletion.events)
    var event: String
    @Option(help: ArgumentHelp("Do this event once per key, or 'auto'.", valueName: "key"))
    var dedup: String?
    @Option(help: ArgumentHelp("Only at this version, or 'absent' or 'exists'.", valueName: "v"))
    var expect: Expectation?
    @Option(help: "Whether the event may create the instance.") var create: CreationMode?
    @Option(help: "How much to show: version, state too, or outputs and effects too.")
    var reply = ReplyDetail.min
    @Option(help: "Which effects to wait for: none, own or tree.") var settle = Settling.none
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws { if settle != .none { _ = try connection.wait() } }

    func run(with client: Client) async throws {
        let key = dedup == "auto" ? Send.randomKey() : dedup
        if event == "-" { return try await sendLines(with: client, key: key) }
        let request = try request(event, key: key)
        switch await outcome(of: client.submit(request, timeout: try patience())) {
        case .success(let reply): try show(reply)
        case .failure(let error):
            if dedup == "auto", let key, error.isRetryable {
                Output.note("the event went out with --dedup \(key)")
            }
            throw error
        }
    }

    /// What became of one line of standard input.
    private struct Line: Sendable {
        let number: Int
        let reply: Result<PendingReply, ValidationError>
    }

    private func sendLines(with client: Client, key: String?) async throws {
        var firstCode: ExitCode?
        let room = DispatchSemaphore(value: Pipeline.windowMax)
        for await line in lines(client, key: key, room: room, patience: try patience()) {
            switch line.reply {
            case .failure(let error):
                let reason = format.noteStyle.safe(error.message)
                Output.note("line \(line.number): error: \(reason)")
                if format.json { try Output.line(Failures.json(.invalidRequest(error.message))) }
                firstCode = firstCode ?? .validationFailure
            case .success(let pending):
                switch await outcome(of: pending) {
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

    /// Reads standard input on a thread of its own, because reading blocks, and submits line
    /// after line while there is `room`.
    private func lines(
        _ client: Client, key: String?, room: DispatchSemaphore, patience: Duration
    ) -> AsyncStream<Line> {
        AsyncStream { continuation in
            DispatchQueue.global().async {
                var number = 0
                while let line = readLine() {
                    number += 1
                    if line.allSatisfy(\.isWhitespace) { continue }
                    room.wait()
                    let request = Result { () throws(ValidationError) in
                        try self.request(line, key: key.map { "\($0)-\(number)" })
                    }
                    continuation.yield(
                        Line(
                            number: number,
                            reply: request.map { client.submit($0, timeout: patience) }))
                }
                continuation.finish()
            }
        }
    }

    private func request(_ event: String, key: String?) throws(ValidationError) -> Request {
        Request.send(
            to: to, event: try EventText(event).bytes, dedup: key, expect: expect,
            create: create, reply: reply, settle: settle, for: try connection.wait())
    }

    /// How long a reply may take: what the server waits for comes on top.
    private func patience() throws(ValidationError) -> Duration {
        connection.patience + (settle == .none ? .zero : try connection.wait())
    }

    private func outcome(of pending: PendingReply) async -> Result<SendReply, ClientError> {
        do throws(ClientError) {
            return .success(try SendReply(try await pending.value))
        } catch {
            return .failure(error)
        }
    }

    private func show(_ reply: SendReply) throws {
        if format.json { return try Output.line(reply.reply.text) }
        var words = ["\(to) v\(reply.version)"]
        if reply.isDuplicate {
            words.append("repeated")
        } else {
            words.append(reply.isChanged ? "changed" : "unchanged")
        }
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
