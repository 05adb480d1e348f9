/// The name of one instance on the wire: `machine/instance`.
///
/// Machine: a letter, then up to 63 letters, digits, `_`, `.` or `-`. Instance: 1 to 200 letters,
/// digits and `._:@~+=,-`. All ASCII, so equality is equality of bytes (protocol.md, "Names").
public struct InstanceName: Hashable, Sendable, CustomStringConvertible {
    /// The whole name, `machine/instance`.
    public let text: String

    /// How many bytes the machine's name has: the place of the slash in `text`.
    public let machineLength: Int

    /// A hash of the bytes, seeded anew in every process; made once, where the name is read.
    let hash: Int

    /// Takes a name apart and checks it against the grammar; `nil` when it does not fit.
    public init?(utf8 bytes: UnsafeRawBufferPointer) {
        guard let slash = InstanceName.slash(in: bytes) else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
        machineLength = slash
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        hash = hasher.finalize()
    }

    /// Takes a name apart and checks it against the grammar; `nil` when it does not fit.
    public init?(_ name: some StringProtocol) {
        var name = String(name)
        let parsed = name.withUTF8 { InstanceName(utf8: UnsafeRawBufferPointer($0)) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// What stands in the place of a name where all instances of a machine are meant:
    /// `machine/*`, which no instance is named. For the journal, and for notes of whose code runs.
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

    /// A name of the journal, or of a note: an instance's, or that of all of a machine.
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

    /// Whether all instances of the machine are meant, which no instance's name does.
    public var meansMachine: Bool { text.utf8.last == UInt8(ascii: "*") }

    /// The machine's name, the part before the slash.
    public var machine: String { String(text.utf8.prefix(machineLength)) ?? "" }

    /// The instance's name, the part after the slash.
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
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            MachineName.isValid(UnsafeRawBufferPointer(rebasing: bytes[..<slash]))
        else { return nil }
        let instance = bytes[(slash + 1)...]
        guard (1...Limits.instanceNameBytesMax).contains(instance.count) else { return nil }
        for byte in instance where !isInstanceByte(byte) { return nil }
        return slash
    }

    private static func isInstanceByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "@"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: ","),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The grammar of a machine's name: `[A-Za-z][A-Za-z0-9_.-]{0,63}`.
public enum MachineName {
    /// Whether `bytes` are a machine's name.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard (1...Limits.machineNameBytesMax).contains(bytes.count) else { return false }
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "-"):
                if index == 0 { return false }
            default: return false
            }
        }
        return true
    }
}

/// The number of an instance in its data file: given at creation, dense, never used again, also
/// not after the instance was deleted and created anew under the same name.
public struct InstanceNumber: Hashable, Comparable, Sendable {
    /// The number, from 1. Zero stands for no instance.
    public var value: Int64

    /// Wraps a number.
    public init(_ value: Int64) { self.value = value }

    /// By value.
    public static func < (left: InstanceNumber, right: InstanceNumber) -> Bool {
        left.value < right.value
    }
}

/// The place of one step in the journal: dense from 1, over all instances of the data file.
public typealias JournalPosition = Int64

/// A place in the stream of everything: behind record `index` of journal step `sequence`.
///
/// A step is shown to subscribers as several records (outputs, state, lifecycle); each has an
/// index from 0. On the wire a cursor is opaque text that also carries the log id.
public struct Cursor: Hashable, Comparable, Sendable {
    /// The journal step.
    public var sequence: JournalPosition

    /// The record within the step; `Cursor.stepEnd` stands behind all of them.
    public var index: Int32

    /// The index behind every record of a step.
    public static let stepEnd = Int32.max

    /// A place behind record `index` of step `sequence`.
    public init(sequence: JournalPosition, index: Int32 = Cursor.stepEnd) {
        self.sequence = sequence
        self.index = index
    }

    /// By step, then by index.
    public static func < (left: Cursor, right: Cursor) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }
}

/// Which log a cursor belongs to: 128 random bits, made with the data file and on every restore
/// (reliability.md, "Words").
public struct LogID: Hashable, Sendable {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// The id as it stands in the keys of effects: its upper half, in hexadecimal digits.
    public var digits: String { String(high, radix: 16) }

    /// Puts an id together; the random bits come from whoever makes the file.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A connection of this server's life, numbered from 1 and never used again.
public struct ConnectionID: Hashable, Sendable, Comparable {
    /// The number.
    public let value: UInt64

    /// Wraps a number.
    public init(_ value: UInt64) { self.value = value }

    /// By value.
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool {
        left.value < right.value
    }
}

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z. Handed in with every input; the
/// engine reads no clock, and no promise depends on it (reliability.md, P11).
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since the epoch.
    public var milliseconds: Int64

    /// Wraps milliseconds since the epoch.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Earlier is less.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
