/// From where on the journal holds steps: of every machine, and of those whose steps go earlier
/// than the others'.
///
/// The one place that says whether a step is still held. A step before the floor of its machine is
/// gone, whatever stands at its place; one behind it that is missing is damage.
public struct JournalFloors: Sendable, Equatable {
    /// The oldest step that is held, of machines that have no later floor of their own.
    public let journal: JournalPosition

    /// The later floors, by machine.
    public let machines: [String: JournalPosition]

    /// The latest of all floors: every step from there on is held.
    public let latest: JournalPosition

    /// Puts floors together; those of machines that aren't later than the journal's are left out.
    public init(journal: JournalPosition, machines: [String: JournalPosition] = [:]) {
        self.journal = journal
        self.machines = machines.isEmpty ? machines : machines.filter { $0.value > journal }
        latest = self.machines.values.reduce(journal, max)
    }

    /// The oldest step of a machine that is held.
    public func first(of machine: String) -> JournalPosition {
        machines[machine] ?? journal
    }

    /// The oldest step of an instance that is held, if it has one so old.
    public func first(of name: InstanceName) -> JournalPosition {
        machines.isEmpty ? journal : first(of: name.machine)
    }

    /// The place from which on nothing is missing that a selection may be about: the latest floor
    /// of the machines that it can mean.
    public func first(for selection: Selection) -> JournalPosition {
        guard !machines.isEmpty else { return journal }
        return machines.reduce(journal) { latest, floor in
            let isMeant = selection.machine?.matches(floor.key.utf8) ?? true
            return isMeant ? max(latest, floor.value) : latest
        }
    }

}
