import GroveWire

/// The grants of one principal, compiled for each machine that somebody asks about.
///
/// An object, because all connections of a principal share it: each queue that asks has its own,
/// made from the same grants. Other grants are another object. Asking allocates nothing, except the
/// first time for a machine. What it remembers is bounded, whatever names clients make up.
package final class GrantTable {
    /// The principal.
    package let principal: PrincipalName
    /// The grants.
    package let grants: [Grant]
    /// The verbs of all grants together.
    package let verbs: VerbSet

    private let instances: [Glob]
    private var machines: [MachineGrants] = []
    /// Indices of `machines` by hash, open addressing; -1 is free. Never more than half full.
    private var slots: [Int16]
    /// The index of the machine that was asked about last.
    private var last = 0

    private static let slotCount = 2 * machinesMax

    /// The table of some grants.
    ///
    /// - Parameters:
    ///   - principal: Whom they belong to; its name stands for `{principal}`.
    ///   - grants: The grants; their order doesn't matter.
    package init(_ principal: PrincipalName, _ grants: [Grant]) {
        self.principal = principal
        self.grants = grants
        verbs = grants.reduce(into: []) { $0.formUnion($1.verbs) }
        instances = grants.map { $0.instances(of: principal) }
        slots = Array(repeating: -1, count: Self.slotCount)
    }

    /// Whether one of the grants has the verb for this name.
    ///
    /// - Parameters:
    ///   - verb: The verb.
    ///   - machine: The bytes of the machine's name.
    ///   - instance: The bytes of the instance's name after the slash; `nil` for all instances of
    ///     the machine, which takes a grant about all of them.
    ///   - eventType: The event's type. An event without a type and an op without an event have
    ///     `nil`; `send` takes a grant without event types then.
    package func allows(
        _ verb: Verb, _ machine: UnsafeRawBufferPointer, _ instance: UnsafeRawBufferPointer?,
        eventType: UnsafeRawBufferPointer? = nil
    ) -> Bool {
        guard verbs.contains(verb) else { return false }
        return machines[index(of: machine)].allows(verb, instance, eventType: eventType)
    }

    /// As ``allows(_:_:_:eventType:)``; `nil` if many grants must be tried, so that the result is
    /// worth remembering.
    func allowsQuickly(
        _ verb: Verb, _ machine: UnsafeRawBufferPointer, _ instance: UnsafeRawBufferPointer?,
        eventType: UnsafeRawBufferPointer?
    ) -> Bool? {
        guard verbs.contains(verb) else { return false }
        let index = index(of: machine)
        guard machines[index].isQuick(verb) else { return nil }
        return machines[index].allows(verb, instance, eventType: eventType)
    }

    /// Whether one of the grants has the verb for at least one name that an instance of the machine
    /// could have.
    package func allowsSome(_ verb: Verb, _ machine: UnsafeRawBufferPointer) -> Bool {
        verbs.contains(verb) && machines[index(of: machine)].verbs.contains(verb)
    }

    /// The patterns of the grants with a verb.
    func scopes(of verb: Verb) -> [NameScope] {
        zip(grants, instances).filter { $0.0.verbs.contains(verb) }.map {
            NameScope(machine: $0.0.machine, instance: $0.1)
        }
    }

    /// The number of machines that it remembers.
    var rememberedMachines: Int { machines.count }

    // MARK: finding a machine

    private func index(of machine: UnsafeRawBufferPointer) -> Int {
        if last < machines.count, machines[last].isNamed(machine) { return last }
        var slot = Self.slot(of: machine)
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if machines[index].isNamed(machine) {
                last = index
                return index
            }
            slot = (slot + 1) % Self.slotCount
        }
        last = remember(machine, at: slot)
        return last
    }

    private func remember(_ machine: UnsafeRawBufferPointer, at slot: Int) -> Int {
        var slot = slot
        if machines.count == Self.machinesMax {
            machines.removeAll(keepingCapacity: true)
            for index in slots.indices { slots[index] = -1 }
            slot = Self.slot(of: machine)
        }
        let index = machines.count
        slots[slot] = Int16(index)
        machines.append(
            MachineGrants(Array(machine), zip(grants, instances).map { ($0, $1) }))
        return index
    }

    private static func slot(of machine: UnsafeRawBufferPointer) -> Int {
        Int(ByteHash.of(machine) % UInt64(slotCount))
    }
}
