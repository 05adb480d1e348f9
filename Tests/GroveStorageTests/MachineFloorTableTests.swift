import GroveEngine
import Testing

@testable import GroveStorage

/// The floors of machines as rows, and their changes when steps are removed.
@Suite("MachineFloors")
struct MachineFloorTableTests {
    private func block(
        _ first: JournalPosition, _ machines: [String?]
    ) throws -> JournalBlock {
        var bytes: [UInt8] = []
        for (place, machine) in machines.enumerated() {
            var record = JournalRecord(
                sequence: first + Int64(place), kind: machine == nil ? .erased : .step)
            record.name = machine.flatMap { InstanceName("\($0)/i") }
            record.at = Timestamp(milliseconds: record.sequence)
            var encoded: [UInt8] = []
            record.encode(into: &encoded)
            ByteCoding.append(encoded, to: &bytes)
        }
        return try JournalBlock(
            first: first, count: Int64(machines.count), bytes: bytes, link: 0, chain: 0)
    }

    @Test func `a block lists its steps except the erased ones`() throws {
        let steps = try block(10, ["a", nil, "bc", "a"]).heldSteps()
        #expect(steps.map(\.sequence) == [10, 12, 13])
        #expect(steps.map(\.machine) == ["a", "bc", "a"])
        #expect(steps.map(\.at.milliseconds) == [10, 12, 13])
        #expect(steps[1].bytes == steps[0].bytes + 1)
        #expect(try block(1, [nil, nil]).heldSteps().isEmpty)
    }

    @Test func `removed steps leave the count`() throws {
        var floors = MachineFloors()
        let steps = try block(10, ["a", "b", "a", "a"]).heldSteps()
        floors.rows["a"] = MachineFloor(first: 2, counted: 12, steps: 5, bytes: 100)
        for step in steps { floors.subtract(step) }
        let bytes = Int64(2 * steps[0].bytes)
        #expect(
            floors.rows == ["a": MachineFloor(first: 2, counted: 12, steps: 3, bytes: 100 - bytes)])
    }

    @Test func `the floor of the other machines stays if they lost nothing`() throws {
        var floors = MachineFloors()
        floors.rows["a"] = MachineFloor(first: 9)
        #expect(floors.floors(journal: 1) == JournalFloors(journal: 1, machines: ["a": 9]))
        try floors.remove(block(1, [nil, nil]))
        try floors.remove(block(3, [nil]))
        #expect(floors.others == 1)
        #expect(floors.floors(journal: 4) == JournalFloors(journal: 1, machines: ["a": 9]))
        try floors.remove(block(4, [nil, "b"]))
        #expect(floors.others == nil, "they begin where the journal does")
        try floors.remove(block(6, [nil]))
        #expect(floors.others == 6)
        floors.rows = [:]
        try floors.remove(block(7, [nil]))
        #expect(floors.others == nil, "without machines it isn't kept apart")
    }

    @Test func `rows are read as written, and missing ones are removed`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        for name in ["a/a", "b/1", "c/instance-1"] { model.create(name) }
        try store.commit(model.takeWrites())
        var floors = MachineFloors()
        floors.rows["a"] = MachineFloor(first: 2, counted: 3, steps: 4, bytes: 5)
        floors.rows["b.c-d_9"] = MachineFloor()
        floors.others = 1
        #expect(!floors.hasManyUnwritten)
        try floors.write(store.connection)
        let read = try MachineFloorTable.read(store.connection, head: store.head)
        #expect(read == floors && read.others == 1)
        floors.rows["b.c-d_9"] = nil
        floors.rows["a"]?.steps = 7
        floors.others = nil
        try floors.write(store.connection)
        #expect(try MachineFloorTable.read(store.connection, head: store.head) == floors)
        #expect(try store.connection.integer("SELECT count(*) FROM machine_floors") == 1)
        floors.rows["a"]?.counted += 70_000
        #expect(floors.hasManyUnwritten)
        for wrong in [MachineFloor(first: 5), MachineFloor(first: 0), MachineFloor(counted: 4)] {
            floors.rows["a"] = wrong
            try floors.write(store.connection)
            let error = #expect(throws: StoreError.self) {
                try MachineFloorTable.read(store.connection, head: store.head)
            }
            #expect(error == .corrupt(#"the floor of machine "a" is past the journal's end"#))
        }
        store.shutDown()
    }
}
