import GroveTestSupport
import Testing

/// The golden conversations once more, with a real server behind real sockets: what holds for the
/// protocol in memory holds for what clients see.
@Suite("golden conversations over sockets", .serialized, .ownThreads, .timeLimit(.minutes(5)))
struct SocketGoldenTests {
    @Test(arguments: SocketPlayer.Way.allCases, GoldenTests.names)
    func `each client gets the lines of the file`(
        way: SocketPlayer.Way, name: String
    ) async throws {
        guard way != .webSocket || Self.linesOnly[name] == nil else { return }
        let player = try SocketPlayer(try GoldenFolder.read(name), way)
        do {
            try await player.play()
        } catch let problem as TestProblem {
            Issue.record("\(name) over \(way.rawValue): \(problem)")
        }
    }

    /// Files that can't be played over WebSocket, and why.
    static let linesOnly = [
        "errors/BAD_JSON": "a message that is no UTF-8 ends a WebSocket",
        "errors/LINE_TOO_LONG": "so does one that is too long",
        "topics/http": "a message is no request of another protocol",
        "json-rpc/connection": "so does one that is too long",
        "topics/half-close": "a WebSocket ends as a whole",
        "topics/lines": "a message isn't cut into lines",
        "topics/waiting": "a WebSocket ends as a whole",
    ]

    /// Files that are played up to the first step which needs a clock that can be set, a handler
    /// that is played, or a client whose socket holds nothing.
    static let cutShort: Set<String> = [
        "errors/CURSOR_TOO_OLD", "errors/RATE_LIMITED", "errors/SET_ASIDE", "errors/SUSPENDED",
        "errors/TIMEOUT",
        "json-rpc/connection", "ops/auth", "ops/await", "ops/backup", "ops/cancel", "ops/complete",
        "ops/effects", "ops/migrate", "ops/ping", "ops/resume", "ops/retry", "ops/token",
        "topics/chart-children", "topics/chart-computed", "topics/chart-requests",
        "topics/charts", "topics/checkpoints",
        "topics/earlier-release", "topics/effect-records", "topics/gap", "topics/grants",
        "topics/half-close", "topics/machine-retention",
        "topics/order", "topics/periodic", "topics/retention", "topics/settle",
        "topics/settle-grants", "topics/sign-in", "topics/slow",
    ]

    @Test(arguments: GoldenTests.names)
    func `only files that need more than sockets are shortened`(name: String) throws {
        let script = Script(try GoldenFolder.read(name))
        #expect((script.end() < script.steps.count) == Self.cutShort.contains(name), "\(name)")
    }
}
