import GroveEngine
import GroveWire
import OrderedJSON
import Testing
import Transducers

@testable import GroveProtocol

@Suite("MachineTable")
struct MachineTableTests {
    private enum Machine: Transducer, InitialState {
        struct State: NonTerminal, Codable, Sendable {}
        typealias Event = String
        static var initialState: State { State() }
        static func update(_ state: inout State, event: String) {}
    }

    private func table(_ names: [String]) throws -> MachineTable {
        MachineTable(
            try Catalogue(names.map { Definition(Machine.self, named: $0, version: "1") }))
    }

    private func find(_ name: String, in table: inout MachineTable) -> String? {
        let index = Array(name.utf8).withUnsafeBytes { table.index(of: $0) }
        return index.map { table[$0].definition.name }
    }

    @Test(arguments: [0, 1, 2, 7, 100])
    func `every machine is found by the bytes of its name, and nothing else`(count: Int) throws {
        let names = (0..<count).map { "machine-\($0)" }
        var table = try table(names)
        for _ in 0..<2 {
            for name in names { #expect(find(name, in: &table) == name) }
            for name in ["", "m", "machine-", "machine-00", "Machine-0", "machine-\(count)"] {
                #expect(find(name, in: &table) == nil)
            }
        }
    }
}
