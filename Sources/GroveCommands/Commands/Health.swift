import ArgumentParser
import GroveClient

struct Health: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask for the server's health, for monitoring.",
        discussion: """
            Prints one line. The exit code is 0 when the server can accept events, 1 when it can't \
            or doesn't answer in time, and 69 when nothing listens at the address, or nothing \
            that greets as a server. A server can \
            accept events when its commits return, its disk has room, and it isn't shutting down. \
            With --live only the commits count: a full disk or a shutdown is no reason to restart \
            it. With --json prints the health as the server sent it.

            The server answers beside the events, even while a disk hangs; a hung disk shows \
            within five seconds of the first event that waits for it.

              grove health
              grove health --live --timeout 2s
            """)

    @OptionGroup var connection: ConnectionFlags
    @Flag(help: "Check only that commits return.") var live = false

    func exitCode(_ error: ClientError) -> ExitCode {
        switch error {
        // A server is there, but doesn't answer as it should.
        case .timeout, .unread, .connectionLost, .server: .refused
        default: Failures.exitCode(error)
        }
    }

    func run(with client: Client) async throws {
        let health = try await client.health()
        let succeeded = live ? health.isLive : health.isReady
        if format.json { try Output.line(health.text) } else { try Output.line(line(health)) }
        if !succeeded { throw ExitCode.refused }
    }

    private func line(_ health: GroveClient.Health) -> String {
        var troubles: [String] = []
        if !health.isLive {
            let milliseconds = Int64(health.stalled / .milliseconds(1))
            troubles.append("no commit has come back for \(milliseconds) ms")
        }
        if health.isDiskFull { troubles.append("the disk is full") }
        if health.setAside > 0 { troubles.append("\(health.setAside) set aside") }
        if health.isDraining { troubles.append("it is shutting down") }
        let word = health.isReady ? "ready" : health.isLive ? "live, not ready" : "not live"
        return troubles.isEmpty ? word : "\(word): \(troubles.joined(separator: ", "))"
    }
}
