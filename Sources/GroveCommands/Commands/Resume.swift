import ArgumentParser
import GroveClient

struct Resume: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Resume an instance or machine that was suspended or set aside.",
        discussion: """
            An instance of a machine that is suspended as a whole resumes with its machine.

              grove resume order/o-1
              grove resume order
            """)

    @Argument(help: .holdSubject, completion: NameCompletion.instances) var to: String
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let reply = try await client.resume(HoldSubject(argument: to))
        let hasChanged = reply.bool("changed") ?? true
        try show(reply, as: hasChanged ? "\(to) resumed" : "\(to) was not suspended")
    }
}
