import ArgumentParser
import GroveClient

struct Cancel: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Cancel effects or timers of an instance.",
        discussion: """
            Choose exactly one of the options. The machine gets no event for it. It is no error \
            if nothing matches.

              grove cancel order/o-1 --effect 4
              grove cancel order/o-1 --effect charge
              grove cancel order/o-1 --timer payment
              grove cancel order/o-1 --request k-17
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Option(help: ArgumentHelp("The effect with this number, or id.", valueName: "run|id"))
    var effect: String?
    @Option(help: ArgumentHelp("The timers with this id.", valueName: "id")) var timer: String?
    @Option(
        help: ArgumentHelp(
            "All effects that follow from the event with this key.", valueName: "key"))
    var request: String?
    @OptionGroup var connection: ConnectionFlags

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
        let runs = reply.runs.map { "#\($0)" }.joined(separator: " ")
        try show(
            reply.reply,
            as: runs.isEmpty ? "\(to) has nothing of the kind" : "\(to) cancelled  \(runs)")
    }
}
