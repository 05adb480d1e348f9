import GroveAccess

extension AccessSubject {
    /// Whether a verb is granted for an instance and every event.
    func allows(_ verb: Verb, _ name: InstanceName) -> Bool {
        if case .everything = self { return true }
        return name.withParts { allows(verb, $0, $1) }
    }

    /// Whether a verb is granted for a whole machine.
    func allows(_ verb: Verb, machine: String) -> Bool {
        guard case .principal(let table) = self else { return isEverything }
        var machine = machine
        return machine.withUTF8 { table.allows(verb, UnsafeRawBufferPointer($0), nil) }
    }
}

extension ReadFilter {
    /// Whether the reader sees a machine.
    func includes(_ machine: String) -> Bool {
        if isOpen { return true }
        var machine = machine
        return machine.withUTF8 { includes(machine: UnsafeRawBufferPointer($0)) }
    }

    /// Whether the reader sees an instance.
    func includes(_ name: InstanceName) -> Bool {
        isOpen || name.withParts { includes(machine: $0, instance: $1) }
    }

    /// Whether the reader sees an instance, by its name in a stored row.
    func includes(named name: String) -> Bool {
        isOpen || InstanceName(name).map(includes) ?? false
    }
}

extension InstanceName {
    /// Calls `body` with the bytes of the machine's name and those of the instance's.
    func withParts<R>(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> R) -> R {
        var text = text
        return text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            return body(
                UnsafeRawBufferPointer(rebasing: bytes[..<machineLength]),
                UnsafeRawBufferPointer(rebasing: bytes[(machineLength + 1)...]))
        }
    }
}
