import GroveWire

/// The oldest step still held, per machine.
///
/// Only the floors decide whether a step is held. A step before the floor of its machine counts as
/// removed, whatever is stored at its position. A step after it that is missing is damage.
public struct JournalFloors: Sendable, Equatable {
    /// The oldest held step of machines without a later floor.
    public let journal: JournalPosition

    public let machines: [String: JournalPosition]

    /// The latest of all floors: every later step is held.
    public let latest: JournalPosition

    public init(journal: JournalPosition, machines: [String: JournalPosition] = [:]) {
        self.journal = journal
        self.machines = machines.isEmpty ? machines : machines.filter { $0.value > journal }
        latest = self.machines.values.reduce(journal, max)
    }

    public func first(of machine: String) -> JournalPosition {
        machines[machine] ?? journal
    }

    public func first(of name: InstanceName) -> JournalPosition {
        machines.isEmpty ? journal : first(of: name.machine)
    }

    /// The latest floor of the machines that a selection can match: no later step is missing.
    public func first(for selection: Selection) -> JournalPosition {
        guard !machines.isEmpty else { return journal }
        return machines.reduce(journal) { latest, floor in
            let matches = selection.machine?.matches(floor.key.utf8) ?? true
            return matches ? max(latest, floor.value) : latest
        }
    }
}
