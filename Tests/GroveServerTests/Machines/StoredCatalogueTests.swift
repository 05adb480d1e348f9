import BuiltInMachines
import GroveEngine
import GroveServer
import OrderedJSON
import Testing
import Transducers

/// The machines of a program over those of a data file.
@Suite("Catalogue+Stored")
struct StoredCatalogueTests {
    private func stored(_ machine: String, _ version: String, _ states: String) -> StoredDefinition
    {
        let text =
            #"{"id":"\#(machine)","version":"\#(version)","initial":"a","states":\#(states)}"#
        return StoredDefinition(
            machine: machine, version: version, hash: "", text: Array(text.utf8),
            defined: Timestamp(milliseconds: 0))
    }

    @Test func `examples give way to stored definitions, compiled machines don't`() throws {
        let all = BuiltInMachines.definitions
        let order = try #require(all.first { $0.name == "order" })
        let counter = try #require(all.first { $0.name == "counter" })
        var retired = stored("gate", "2", #"{"a":{}}"#)
        retired.isRetired = true
        var reports: [String] = []
        let catalogue = try Catalogue(
            compiled: [counter], examples: [order],
            stored: [
                stored("order", "9", #"{"a":{}}"#), stored("counter", "9", #"{"a":{}}"#),
                stored("gate", "1", #"{"a":{}}"#), retired, stored("broken", "1", "7"),
            ]
        ) { reports.append("\($0.machine): \($1)") }
        #expect(catalogue["order"]?.version == "9" && catalogue["order"]?.isFixed == true)
        #expect(catalogue["counter"]?.version == counter.version)
        #expect(catalogue["gate"]?.version == "2" && catalogue.isRetired("gate"))
        #expect(catalogue.versions(of: "gate").sorted() == ["1", "2"])
        #expect(catalogue["broken"] == nil)
        #expect(reports.count == 2 && reports[0].hasPrefix("counter: "))
        #expect(reports[1].hasPrefix("broken: $.states: "))
    }

    @Test func `a stored definition with an expression that can't be read is hosted`() throws {
        let gate = stored("gate", "1", #"{"a":{"on":{"X":{"guard":"event.n >"},"Y":{}}}}"#)
        var reports: [String] = []
        let catalogue = try Catalogue(compiled: [], stored: [gate]) { reports.append($1) }
        #expect(catalogue["gate"]?.takes?.map(\.event.name) == ["X", "Y"] && reports.isEmpty)
        guard case .refused = ChartCompiler.compile(gate.text) else {
            Issue.record("no client may define it")
            return
        }
    }

    @Test func `compiled machines of one name can't be hosted`() throws {
        let counter = try #require(BuiltInMachines.definitions.first { $0.name == "counter" })
        #expect(throws: CatalogueError.duplicateName("counter")) {
            try Catalogue(compiled: [counter, counter], stored: []) { _, _ in }
        }
    }
}
