import ArgumentParser
import GroveClient

struct Await: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until an instance is done, or in a state, and show it.",
        discussion: """
            Waits for --timeout, by default 30 seconds, at most an hour; then the exit code is 75. \
            --until works for machines whose states have names. A state that was left again \
            meanwhile counts only if it held at the end of a step.

              grove await order/o-1 --timeout 10m
              grove await turnstile/t --until unlocked
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Option(help: "'done', or the name of a state.", completion: NameCompletion.states)
    var until = AwaitCondition.done
    @OptionGroup var connection: ConnectionFlags

    func validate() throws { _ = try connection.wait() }

    func run(with client: Client) async throws {
        try show(try await client.await(to, until: until, for: try connection.wait()))
    }
}
