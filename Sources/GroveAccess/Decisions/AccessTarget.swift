/// The name that a request is about, as bytes of its line: valid only while the line is.
package struct AccessTarget {
    /// The machine's name.
    package let machine: UnsafeRawBufferPointer
    /// The instance's name after the slash; `nil` for the whole machine.
    package let instance: UnsafeRawBufferPointer?

    /// A target of two parts.
    package init(machine: UnsafeRawBufferPointer, instance: UnsafeRawBufferPointer?) {
        self.machine = machine
        self.instance = instance
    }

    /// The parts of `machine/instance`, or of a machine's name alone. Whether the name is well
    /// formed was checked before.
    package init(name: UnsafeRawBufferPointer) {
        guard let slash = name.firstIndex(of: UInt8(ascii: "/")) else {
            self.init(machine: name, instance: nil)
            return
        }
        self.init(
            machine: UnsafeRawBufferPointer(rebasing: name[..<slash]),
            instance: UnsafeRawBufferPointer(rebasing: name[(slash + 1)...]))
    }

    /// The target of a request that names none: only a grant for all machines includes it.
    package static var none: AccessTarget {
        AccessTarget(machine: UnsafeRawBufferPointer(start: nil, count: 0), instance: nil)
    }
}
