import GroveWire

/// What a reply shows to its reader: the items of `list`, `effects`, `definitions` and `describe`.
///
/// What it leaves out is left out as if it didn't exist: a `describe` of a machine or instance that
/// it doesn't include is answered like one of a missing machine or instance. A page may have fewer
/// items than asked for, and its `next` still leads on.
package struct ReadFilter {
    private let subject: AccessSubject

    /// The filter for a reader.
    package init(_ subject: AccessSubject) { self.subject = subject }

    /// Whether it lets everything through, so that nothing must be asked.
    package var isOpen: Bool {
        guard case .principal(let table) = subject else { return subject.isEverything }
        return table.grants.contains { grant in
            grant.verbs.contains(.read) && grant.machine.matchesAll && grant.instance == "*"
        }
    }

    /// Whether it lets nothing through, so that nothing must be read.
    package var isClosed: Bool {
        guard case .principal(let table) = subject else { return !subject.isEverything }
        return !table.verbs.contains(.read)
    }

    /// Whether the reader sees a machine: whether they may read one of the instances that it could
    /// have.
    package func includes(machine: UnsafeRawBufferPointer) -> Bool {
        guard case .principal(let table) = subject else { return subject.isEverything }
        return table.allowsSome(.read, machine)
    }

    /// Whether the reader sees an instance.
    package func includes(
        machine: UnsafeRawBufferPointer, instance: UnsafeRawBufferPointer
    ) -> Bool {
        subject.allows(.read, machine, instance)
    }
}
