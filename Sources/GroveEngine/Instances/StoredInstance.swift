/// The snapshot of one instance, which is the truth about it: no event is processed again.
public struct StoredInstance: Sendable, Equatable {
    public var number: InstanceNumber
    public var name: InstanceName
    /// The version of the definition of the last step.
    public var definitionVersion = ""
    /// The number of committed steps; 0 after creation.
    public var version: Int64 = 0
    public var created = Timestamp(milliseconds: 0)
    public var updated = Timestamp(milliseconds: 0)
    public var origin: JournalPosition = 0
    /// Its newest journal step.
    public var newest: JournalPosition = 0
    /// The journal step that holds its present state.
    public var stateAt: JournalPosition = 0
    /// Its newest journal step that isn't an `.effect`; 0 if that is `newest`. For instances older
    /// than this member, an `.effect` after it.
    public var beforeEffects: JournalPosition = 0
    /// For k = 1, 2, …: the journal step of its newest version that is a multiple of 64^k; shorter
    /// if there is none yet.
    public var skips: [JournalPosition] = []
    /// Whether an event had a dedup key.
    public var hasDedup = false
    public var isDone = false
    /// Its result as JSON, if it is done and has one.
    public var result: [UInt8]?
    public var lastEffectNumber: Int64 = 0
    /// The number of its stored effects.
    public var effectCount: Int64 = 0
    /// For a child: the parent and the effect that started it.
    public var parent: Parent?
    public var state: [UInt8] = []

    /// The parent of a child.
    public struct Parent: Sendable, Equatable {
        /// The instance's name, `machine/instance`.
        public var name: String
        public var ref: EffectRef
    }

    public init(number: InstanceNumber, name: InstanceName) {
        self.number = number
        self.name = name
    }

    /// Appends the snapshot's bytes; number and name are separate columns.
    public func encode(into bytes: inout [UInt8]) {
        bytes.append(atMost: encodedBytesMax) { writer in
            writer.append(
                UInt8(isDone ? 1 : 0) | (result != nil ? 2 : 0) | (hasDedup ? 4 : 0)
                    | (lastEffectNumber != 0 ? 8 : 0) | (parent != nil ? 16 : 0)
                    | (beforeEffects != 0 ? 32 : 0))
            writer.append(definitionVersion)
            writer.append(version)
            writer.append(created.milliseconds)
            writer.append(updated.milliseconds)
            writer.append(origin)
            writer.append(newest)
            writer.append(stateAt)
            writer.append(Int64(skips.count))
            for skip in skips { writer.append(skip) }
            if let result { writer.append(result) }
            if lastEffectNumber != 0 {
                writer.append(lastEffectNumber)
                writer.append(effectCount)
            }
            if let parent {
                writer.append(parent.name)
                writer.append(parent.ref.instance.value)
                writer.append(parent.ref.number)
            }
            if beforeEffects != 0 { writer.append(beforeEffects) }
            writer.append(state)
        }
    }

    /// No fewer bytes than ``encode(into:)`` appends: sixteen integers and the skips, of which none
    /// has ten bytes because none is negative, the flags, and the texts.
    private var encodedBytesMax: Int {
        let integers = 16 + skips.count
        return integers * ByteWriter.integerBytes + definitionVersion.utf8.count
            + (result?.count ?? 0) + (parent?.name.utf8.count ?? 0) + state.count
    }

    /// Decodes only the newest journal step of a snapshot.
    ///
    /// - Throws: `.corrupt` when the bytes end before it; the rest isn't checked.
    package static func newest(
        decoding bytes: UnsafeRawBufferPointer
    ) throws(StoreError) -> JournalPosition {
        var reader = ByteReader(bytes)
        _ = try reader.byte()
        _ = try reader.span()
        for _ in 0..<4 { _ = try reader.integer() }
        return try reader.integer()
    }

    /// Decodes the bytes of exactly one snapshot.
    ///
    /// - Throws: `.corrupt` when they aren't one; never traps.
    public init(
        decoding bytes: UnsafeRawBufferPointer, number: InstanceNumber, name: InstanceName
    ) throws(StoreError) {
        self.init(number: number, name: name)
        var reader = ByteReader(bytes)
        let flags = try reader.byte()
        isDone = flags & 1 != 0
        hasDedup = flags & 4 != 0
        definitionVersion = try reader.string()
        version = try reader.integer()
        created = Timestamp(milliseconds: try reader.integer())
        updated = Timestamp(milliseconds: try reader.integer())
        origin = try reader.integer()
        newest = try reader.integer()
        stateAt = try reader.integer()
        for _ in 0..<(try reader.integer()) { skips.append(try reader.integer()) }
        if flags & 2 != 0 { result = try reader.array() }
        if flags & 8 != 0 {
            lastEffectNumber = try reader.integer()
            effectCount = try reader.integer()
        }
        if flags & 16 != 0 {
            let name = try reader.string()
            let number = InstanceNumber(try reader.integer())
            parent = Parent(
                name: name, ref: EffectRef(instance: number, number: try reader.integer()))
        }
        if flags & 32 != 0 { beforeEffects = try reader.integer() }
        state = try reader.array()
        guard reader.isAtEnd else {
            throw .corrupt("the snapshot of \(name) has bytes behind its end")
        }
    }
}
