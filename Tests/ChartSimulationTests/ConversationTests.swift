import Statecharts
import Testing

@testable import ChartSimulation

/// Transcripts as scripts and tests.
struct ConversationTests {
    private let door = #"""
        {"id":"door","initial":"shut","states":{"shut":{"on":{"OPEN":"open"}},
         "open":{"on":{"SHUT":"shut"}}}}
        """#

    private func simulation() throws -> Simulation {
        Simulation(try Chart(parsing: Array(door.utf8)))
    }

    private let golden = """
        # A door.
        > .start
          state     shut

        > OPEN
          state     shut -> open
        # It is open.
        > OPEN
          unchanged no transition takes it

        """

    @Test func `a transcript that is right has no difference, and is written the same`() throws {
        let outcome = try Conversation(golden).run(simulation())
        #expect(outcome.difference == nil)
        #expect(outcome.fault == nil)
        #expect(outcome.text == golden)
    }

    @Test(arguments: [
        ("shut -> open", "shut -> ajar", 6), ("  state     shut\n", "", 3),
        ("unchanged no", "unchanged yes", 9),
        ("it\n", "it\n  state     more\n", 10),
    ])
    func `the first difference has its line`(old: String, new: String, line: Int) throws {
        let outcome = try Conversation(golden.replacing(old, with: new)).run(simulation())
        #expect(outcome.difference?.line == line)
        #expect(outcome.text == golden)
    }

    @Test func `a script without marks becomes a transcript`() throws {
        let script = "# A door.\n.start\n\nOPEN\n# It is open.\nOPEN\n"
        #expect(try Conversation(script).run(simulation()).text == golden)
    }

    @Test func `a command that can't be carried out is a fault with its line`() throws {
        let outcome = try Conversation("> .start\n  state     shut\n> .fly\n").run(simulation())
        #expect(outcome.fault?.line == 3)
    }

    @Test(arguments: ["> OPEN\nstate\n", "  state\n> OPEN\n", "> OPEN\n# a\n  state\n"])
    func `a line without a place is a fault`(text: String) {
        #expect(throws: Conversation.Fault.self) { try Conversation(text) }
    }
}
