import GroveWire

/// What a remembered decision is about: verb, name and event type.
///
/// As bytes: the verb, the lengths of the two parts of the name, whether there is an event type,
/// and then these parts. The lengths make it unique, whatever bytes the parts have.
struct AccessKey {
    let verb: Verb
    let target: AccessTarget
    let eventType: UnsafeRawBufferPointer?

    private static let headBytes = 4

    init(_ verb: Verb, _ target: AccessTarget, _ eventType: UnsafeRawBufferPointer?) {
        self.verb = verb
        self.target = target
        self.eventType = eventType
    }

    /// The number of bytes.
    var count: Int {
        Self.headBytes + target.machine.count + (target.instance?.count ?? 0)
            + (eventType?.count ?? 0)
    }

    /// The first four bytes. Only for keys of fewer than 255 bytes.
    private var head: UInt32 {
        let instance = target.instance.map { UInt32($0.count) } ?? 255
        return UInt32(VerbSet(verb).rawValue) << 24 | UInt32(target.machine.count) << 16
            | instance << 8 | (eventType == nil ? 0 : 1)
    }

    /// A hash of all bytes.
    var hash: UInt64 {
        var hash = UInt64(head) ^ ByteHash.of(target.machine)
        if let instance = target.instance { hash = hash &* Self.factor ^ ByteHash.of(instance) }
        if let eventType { hash = hash &* Self.factor ^ ByteHash.of(eventType) }
        return hash ^ hash >> 29
    }

    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Whether these are the first bytes of the buffer, which has at least as many.
    func isWritten(in bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.loadUnaligned(as: UInt32.self) == head else { return false }
        var rest = UnsafeRawBufferPointer(rebasing: bytes[Self.headBytes...])
        func continues(with part: UnsafeRawBufferPointer?) -> Bool {
            guard let part else { return true }
            guard part.isPrefix(of: rest) else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[part.count...])
            return true
        }
        return continues(with: target.machine) && continues(with: target.instance)
            && continues(with: eventType)
    }

    /// Writes them to the beginning of the buffer, which has room.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeBytes(of: head, as: UInt32.self)
        var place = Self.headBytes
        func append(_ part: UnsafeRawBufferPointer?) {
            guard let part else { return }
            UnsafeMutableRawBufferPointer(rebasing: bytes[place...]).copyMemory(from: part)
            place += part.count
        }
        append(target.machine)
        append(target.instance)
        append(eventType)
    }
}
