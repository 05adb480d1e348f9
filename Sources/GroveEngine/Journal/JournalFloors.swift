/// The oldest step still held, per machine.
///
/// Only the floors decide whether a step is held. A step before the floor of its machine counts as
/// removed, whatever is stored at its position. A step after it that is missing is damage.
public struct JournalFloors: Sendable, Equatable {
    /// The oldest step held of machines without a later floor.
    public let journal: JournalPosition

    /// The later floors, by machine.
    public let machines: [String: JournalPosition]

    /// The latest of all floors: every step from there on is held.
    public let latest: JournalPosition

    /// Creates floors. Drops those of machines that aren't later than the journal's.
    public init(journal: JournalPosition, machines: [String: JournalPosition] = [:]) {
        self.journal = journal
        self.machines = machines.isEmpty ? machines : machines.filter { $0.value > journal }
        latest = self.machines.values.reduce(journal, max)
    }

    /// The oldest step of a machine that is held.
    public func first(of machine: String) -> JournalPosition {
        machines[machine] ?? journal
    }

    /// The oldest step that could be held of an instance.
    public func first(of name: InstanceName) -> JournalPosition {
        machines.isEmpty ? journal : first(of: name.machine)
    }

    /// Returns the position from which no step that a selection can match is missing: the latest
    /// floor of the machines that it can match.
    public func first(for selection: Selection) -> JournalPosition {
        guard !machines.isEmpty else { return journal }
        return machines.reduce(journal) { latest, floor in
            let isMeant = selection.machine?.matches(floor.key.utf8) ?? true
            return isMeant ? max(latest, floor.value) : latest
        }
    }
}
