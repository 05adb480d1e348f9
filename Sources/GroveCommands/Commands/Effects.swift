import ArgumentParser
import GroveClient
import OrderedJSON

/// `grove effects`
struct Effects: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "List effects and timers: what instances are waiting for.",
        discussion: """
            One line each: instance, number, kind, id, what it waits for, and when, why, or for \
            whom. Without --all, one page; standard error says how to get the next.

              grove effects order/o-1
              grove effects --phase failed --all
              grove effects --phase asking --json
            """)

    @Argument(
        help: "Only of this instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String?
    @Option(help: "Only those that wait for this.") var phase: EffectPhase?
    @Option(help: "Go on behind this place, as an earlier page said.") var after: String?
    @OptionGroup var pages: PageFlags
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        try await pages.forEach(from: after) { position, isFirst in
            let page = try await client.effects(
                of: to, phase: phase, after: position, limit: pages.limit)
            try show(page.items, hasHeader: isFirst)
            return page.next
        }
    }

    private func show(_ effects: [EffectSummary], hasHeader: Bool) throws {
        if format.json {
            for effect in effects { try Output.line(effect.text) }
            return
        }
        let rows = effects.map { [$0.instance ?? ""] + EffectLine.columns($0, format.style) }
        try format.table(
            rows, under: [.init("instance", .strong)] + EffectLine.header, hasHeader: hasHeader)
    }
}

/// `grove cancel`
struct Cancel: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Cancel effects or timers of an instance.",
        discussion: """
            Exactly one of the options says which ones. The machine hears nothing of it; what is \
            not there is no error.

              grove cancel order/o-1 --effect 4
              grove cancel order/o-1 --effect charge
              grove cancel order/o-1 --timer payment
              grove cancel order/o-1 --request k-17
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Option(help: ArgumentHelp("The effect with this number, or id.", valueName: "run|id"))
    var effect: String?
    @Option(help: ArgumentHelp("The timers with this id.", valueName: "id")) var timer: String?
    @Option(help: ArgumentHelp("All that follow from the event with this key.", valueName: "key"))
    var request: String?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws {
        guard choices.count == 1 else {
            throw ValidationError("Choose one of --effect, --timer and --request.")
        }
    }

    private var choices: [CancelChoice] {
        let byEffect = effect.map { Int64($0).map(CancelChoice.effect) ?? .id($0) }
        return [byEffect, timer.map(CancelChoice.timer), request.map(CancelChoice.request)]
            .compactMap { $0 }
    }

    func run(with client: Client) async throws {
        let reply = try await client.cancel(choices[0], of: to)
        if format.json { return try Output.line(reply.reply.text) }
        let runs = reply.runs.map { "#\($0)" }.joined(separator: " ")
        try Output.line(runs.isEmpty ? "\(to) has nothing of the kind" : "\(to) cancelled  \(runs)")
    }
}

/// `grove retry`
struct Retry: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try an effect again, or an instance that is set aside.",
        discussion: """
            Begins an effect anew that has failed, or makes its next try now. The numbers are \
            those of 'grove effects'. An effect that has failed for good gets a new number and \
            all its tries. A timer, a send or a child whose event the machine can't read any \
            more, because it has changed, gets another event by --event. Without a number, an \
            instance goes on that the server has set aside, because its steps had ended the \
            process ('grove list --set-aside').

              grove effects order/o-1 --phase failed
              grove retry order/o-1 4
              grove retry tea/t-1 7 --event '{"type":"remind","times":1}'
              grove retry order/o-2
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Argument(help: "The effect's number.") var run: Int64?
    @Option(
        help: ArgumentHelp(
            "The event that takes the place of the one it holds: a word, or JSON.",
            valueName: "event"))
    var event: String?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if let run, run < 1 { throw ValidationError("An effect's number is at least 1.") }
    }

    func run(with client: Client) async throws {
        guard let run else {
            let reply = try await client.retry(to)
            if format.json { return try Output.line(reply.text) }
            return try Output.line("\(to) goes on")
        }
        var value: JSONValue?
        if let event {
            let text = try EventText(event).bytes
            do throws(JSONError) {
                value = try JSONValue(parsing: text)
            } catch {
                throw ValidationError("The event is no valid JSON: \(error)")
            }
        }
        let reply = try await client.retry(effect: run, of: to, event: value)
        if format.json { return try Output.line(reply.text) }
        try Output.line("\(to) #\(run) retried")
    }
}

/// `grove complete`
struct Complete: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer an effect that waits for somebody outside.",
        discussion: """
            Whoever has the token may answer, once. A result that the machine can't use is \
            refused, and the effect goes on waiting.

              grove effects sign-in/s --phase asking
              grove complete 17-3-e220a8397b1dcdaf6e789e6aa1b965f4 --result '"approved"'
              grove complete 17-3-e220a8397b1dcdaf6e789e6aa1b965f4 --error 'on holiday'
            """)

    @Argument(help: "The effect's token.") var token: String
    @Option(help: ArgumentHelp("The answer.", valueName: "json")) var result: JSONText?
    @Option(help: ArgumentHelp("Why there is none; the effect fails.", valueName: "text"))
    var error: String?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if (result == nil) == (error == nil) {
            throw ValidationError("Choose one of --result and --error.")
        }
    }

    func run(with client: Client) async throws {
        let reply: Reply
        if let result {
            reply = try await client.complete(token, with: result.value)
        } else {
            reply = try await client.complete(token, failing: error ?? "")
        }
        if format.json { return try Output.line(reply.text) }
        try Output.line("answered")
    }
}

/// `grove await`
struct Await: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until an instance is done, or in a state, and show it.",
        discussion: """
            Waits for --timeout, 30 seconds if not said and an hour at most; then the exit code \
            is 75. States are waited for by name, of machines whose states have names. A state \
            that was left again meanwhile counts only if it held at the end of a step.

              grove await order/o-1 --timeout 10m
              grove await turnstile/t --until unlocked
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Option(help: "'done', or the name of a state.", completion: NameCompletion.states)
    var until = AwaitCondition.done
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws { _ = try connection.wait() }

    func run(with client: Client) async throws {
        try show(try await client.await(to, until: until, for: try connection.wait()))
    }
}
