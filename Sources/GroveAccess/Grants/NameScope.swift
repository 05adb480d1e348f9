import GroveWire

/// The instances of some machines: a pattern for each part of a name.
package struct NameScope: Hashable, Sendable {
    /// The machines.
    package let machine: Glob
    /// The instances, by the name after the slash.
    package let instance: Glob

    /// A scope of two patterns.
    package init(machine: Glob, instance: Glob) {
        self.machine = machine
        self.instance = instance
    }

    /// Whether it includes a name. Records about a whole machine have the instance `*`, and only a
    /// scope with all instances includes these.
    package func includes(
        machine name: some BidirectionalCollection<UInt8>,
        instance part: some BidirectionalCollection<UInt8>
    ) -> Bool {
        guard machine.matches(name) else { return false }
        if part.first == UInt8(ascii: "*") { return instance.matchesAll }
        return instance.matches(part)
    }

    /// Whether it includes every name that the other one includes.
    func covers(_ other: NameScope) -> Bool {
        machine.covers(other.machine) && instance.covers(other.instance)
    }

    /// Whether a name could exist that both include.
    func overlaps(_ other: NameScope) -> Bool {
        machine.overlaps(other.machine) && instance.overlaps(other.instance)
    }
}
