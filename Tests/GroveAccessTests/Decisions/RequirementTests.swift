import GroveAccess
import GroveWire
import Testing

@Suite("Requirement")
struct RequirementTests {
    private func ops(_ requirement: Requirement) -> String {
        Op.allCases.filter { $0.requirement == requirement }.map(\.rawValue).sorted()
            .joined(separator: " ")
    }

    @Test func `the table lists every op once`() {
        #expect(ops(.nothing) == "auth hello")
        #expect(ops(.probe) == "ping")
        #expect(ops(.ownConnection) == "credit unsubscribe")
        #expect(ops(.event) == "send")
        #expect(ops(.target(.send)) == "create")
        #expect(ops(.items) == "batch")
        #expect(ops(.askingInstance(.send)) == "complete")
        #expect(ops(.target(.read)) == "await get history")
        #expect(ops(.trial) == "can")
        #expect(ops(.filtered(.read)) == "definitions describe effects list")
        #expect(ops(.selection(.subscribe)) == "subscribe")
        #expect(
            ops(.target(.manage)) == "cancel delete import migrate resume retry stop suspend")
        #expect(ops(.machine(.define)) == "define prune undefine")
        #expect(ops(.server(.admin)) == "accounts audit backup reload stats token")
    }
}
