import ArgumentParser
import GroveClient

/// `grove health`
struct Health: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether the server is well, for whatever watches over it.",
        discussion: """
            Prints one line, and ends with code 0 when the server can take events, with 1 when it \
            can't, and with 69 when nobody answers at the address. A server can take events when \
            its commits come back, its disk has room, and it isn't shutting down. With --live \
            only the first counts: a full disk or a shutdown is no reason to start it anew. With \
            --json what the server says of itself.

            The question is answered beside the events, also while a disk hangs; a hung disk \
            shows within five seconds of the first event that waits for it.

              grove health
              grove health --live --timeout 2s
            """)

    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags
    @Flag(help: "Ask only whether commits come back.") var live = false

    func run() async throws {
        let client = Client(options: try connection.clientOptions())
        do {
            try await run(with: client)
        } catch let error as ClientError {
            try report(error)
            switch error {
            // There is somebody who doesn't answer.
            case .timeout, .connectionLost, .server: throw ExitCode(1)
            default: throw Failures.exitCode(error)
            }
        }
    }

    func run(with client: Client) async throws {
        let health = try await client.health()
        let isWell = live ? health.isLive : health.isReady
        if format.json { try Output.line(health.text) } else { try Output.line(line(health)) }
        if !isWell { throw ExitCode(1) }
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
