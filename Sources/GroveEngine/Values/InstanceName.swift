/// The name of one instance on the wire: `machine/instance`.
///
/// Machine: a letter, then up to 63 letters, digits, `_`, `.` or `-`. Instance: 1 to 200 letters,
/// digits and `._:@~+=,-`. All ASCII, so equality is equality of bytes (protocol.md, "Names").
public struct InstanceName: Hashable, Sendable, CustomStringConvertible {
    /// The whole name, `machine/instance`.
    public let text: String

    /// The bytes of the machine's name: the index of the slash in `text`.
    public let machineLength: Int

    /// A hash of the bytes, seeded in every process; computed once, when the name is decoded.
    let hash: Int

    /// Parses a name; `nil` if it doesn't fit the grammar.
    public init?(utf8 bytes: UnsafeRawBufferPointer) {
        guard let slash = InstanceName.slash(in: bytes) else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
        machineLength = slash
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        hash = hasher.finalize()
    }

    /// Parses a name; `nil` if it doesn't fit the grammar.
    public init?(_ name: some StringProtocol) {
        var name = String(name)
        let parsed = name.withUTF8 { InstanceName(utf8: UnsafeRawBufferPointer($0)) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// The name `machine/*`, for all instances of a machine: no instance has it. For the journal
    /// and for step witnesses.
    init?(allOf machine: String) {
        var name = machine
        guard name.withUTF8({ MachineName.isValid(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        text = machine + "/*"
        machineLength = machine.utf8.count
        var hasher = Hasher()
        hasher.combine(text)
        hash = hasher.finalize()
    }

    /// Parses a name in the journal or of a witness: an instance's, or `machine/*`.
    public init?(inJournal bytes: UnsafeRawBufferPointer) {
        if let name = InstanceName(utf8: bytes) {
            self = name
        } else {
            guard bytes.count > 2, bytes[bytes.count - 2] == UInt8(ascii: "/"),
                bytes[bytes.count - 1] == UInt8(ascii: "*"),
                let machine = String(validating: bytes.dropLast(2), as: UTF8.self)
            else { return nil }
            self.init(allOf: machine)
        }
    }

    /// Whether it is `machine/*`, for all instances of the machine.
    public var meansMachine: Bool { text.utf8.last == UInt8(ascii: "*") }

    public var machine: String { String(text.utf8.prefix(machineLength)) ?? "" }

    public var instance: String { String(text.utf8.dropFirst(machineLength + 1)) ?? "" }

    /// What the instance has in common with its children, and theirs: its name up to the first `~`,
    /// of that at most ``Limits/familyBytesMax`` bytes.
    public var family: String {
        let own = text.utf8.dropFirst(machineLength + 1)
        let family = own.prefix { $0 != UInt8(ascii: "~") }.prefix(Limits.familyBytesMax)
        return String(family) ?? ""
    }

    /// The name as it stands on the wire.
    public var description: String { text }

    /// Two names are equal when their bytes are.
    public static func == (left: InstanceName, right: InstanceName) -> Bool {
        left.hash == right.hash && left.text == right.text
    }

    /// Feeds the hash of the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    private static func slash(in bytes: UnsafeRawBufferPointer) -> Int? {
        var slash = 0
        while slash < bytes.count, bytes[slash] != UInt8(ascii: "/") { slash += 1 }
        guard slash < bytes.count,
            MachineName.isValid(UnsafeRawBufferPointer(rebasing: bytes[..<slash])),
            (1...Limits.instanceNameBytesMax).contains(bytes.count - slash - 1)
        else { return nil }
        for index in slash + 1..<bytes.count where !NameBytes.isInstance(bytes[index]) {
            return nil
        }
        return slash
    }
}

/// The place of one step in the journal: dense from 1, over all instances of the data file.
public typealias JournalPosition = Int64
