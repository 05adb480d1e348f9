import GroveEngine
import GroveWire
import Testing

/// The oldest step held: of a machine, an instance, a selection.
@Suite("journal floors")
struct JournalFloorsTests {
    private func selection(_ machine: String?, instance: String? = nil) -> Selection {
        var selection = Selection()
        selection.machine = machine.map(Glob.init)
        selection.instance = instance.map(Glob.init)
        return selection
    }

    @Test func `a machine without its own floor has the journal's`() throws {
        let floors = JournalFloors(journal: 7)
        #expect(floors.first(of: "counter") == 7 && floors.latest == 7)
        #expect(floors.first(of: try #require(InstanceName("counter/a"))) == 7)
        for machine in [nil, "*", "counter"] {
            #expect(floors.first(for: selection(machine)) == 7)
        }
    }

    @Test func `only floors after the journal's count`() throws {
        let floors = JournalFloors(journal: 7, machines: ["old": 3, "same": 7, "sensor": 20])
        #expect(floors.machines == ["sensor": 20])
        #expect(floors == JournalFloors(journal: 7, machines: ["sensor": 20]))
        #expect(floors.first(of: "old") == 7 && floors.first(of: "sensor") == 20)
        #expect(floors.first(of: try #require(InstanceName("sensor/a"))) == 20)
        #expect(floors.first(of: try #require(InstanceName("sensors/a"))) == 7)
        #expect(floors.latest == 20)
    }

    @Test(
        arguments: [
            (nil, 30), ("*", 30), ("sensor", 20), ("sensor-2", 30), ("sensor?2", 30),
            ("sensor*", 30), ("s*r", 20), ("order", 5), ("o*", 5), ("", 5), ("Sensor", 5),
        ] as [(String?, JournalPosition)])
    func `a selection reaches back as far as its shortest machine`(
        machine: String?, first: JournalPosition
    ) {
        let floors = JournalFloors(journal: 5, machines: ["sensor": 20, "sensor-2": 30])
        #expect(floors.first(for: selection(machine)) == first)
        #expect(floors.first(for: selection(machine, instance: "a")) == first, "any instance")
    }
}
