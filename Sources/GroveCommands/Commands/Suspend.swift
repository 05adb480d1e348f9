import ArgumentParser
import GroveClient

struct Suspend: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Suspend an instance or a whole machine: events are refused until 'grove resume'.",
        discussion: """
            Events are refused with SUSPENDED; clients that retry wait. Effects and timers pause; \
            those that become due meanwhile run after 'grove resume'. A restart of the server \
            doesn't end it.

              grove suspend order/o-1 --reason 'double charge, see ticket 812'
              grove suspend order
              grove list --suspended
            """)

    @Argument(help: .holdSubject, completion: NameCompletion.instances) var to: String
    @Option(help: "The reason; it is kept with the instance.") var reason: String?
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let reply = try await client.suspend(HoldSubject(argument: to), reason: reason)
        let hasChanged = reply.bool("changed") ?? true
        try show(reply, as: hasChanged ? "\(to) suspended" : "\(to) was suspended already")
    }
}
