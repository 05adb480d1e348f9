import Foundation
import GroveTestSupport
import Testing

/// Commands about accounts with `--data`, where there is no data file yet.
@Suite("A missing data file", .ownThreads, .timeLimit(.minutes(2)))
struct MissingDataFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(
            try GroveBinary.find().path, arguments + ["--data", folder.path("grove.db")])
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test func `a command that is refused, or only tries, leaves nothing`() throws {
        let unknown = try run("token", "create", "--principal", "zz")
        #expect(unknown.status == 1 && unknown.output.contains("BAD_REQUEST"), "\(unknown.output)")
        #expect(try run("principal", "grant", "zz", "read everything").status == 1)
        #expect(try run("accounts", "apply", "/nonexistent").status == 66)
        #expect(try run("principal", "show", "zz").status == 66)
        let trial = try run(
            "principal", "create", "ops", "--grant", "admin */*", "--dry-run", "--force")
        #expect(trial.status == 0 && trial.output.contains("+ principal ops"), "\(trial.output)")
        #expect(try names() == [])
    }

    @Test func `a command that changes something makes the file`() throws {
        let made = try run("token", "create", "--principal", "ops", "--grant", "admin */*")
        #expect(made.status == 0 && made.output.hasPrefix("grove_"), "\(made.output)")
        #expect(try names().contains("grove.db"))
        let shown = try run("principal", "show", "ops")
        #expect(shown.output.contains("admin */*"), "\(shown.output)")
    }

    @Test func `a file that can't be made is an error`() throws {
        let outcome = try Command.run(
            try GroveBinary.find().path,
            [
                "token", "create", "--principal", "ops", "--grant", "admin */*", "--data",
                folder.path("none/grove.db"),
            ])
        #expect(outcome.status == 66, "\(outcome.output)")
        #expect(try names() == [])
    }
}
