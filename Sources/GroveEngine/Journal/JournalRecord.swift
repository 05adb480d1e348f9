public import GroveWire
public import Transducers

/// One step in the journal: the event, the changes, and the outputs.
///
/// Steps of one instance are linked backwards. `previous` is the step before. A step whose version
/// is a multiple of 64, 4,096, … also links to the multiple before it (`skip`), so that any version
/// is found in a few dozen reads without an index on disk. `stateAt` is the step that holds the
/// state after this one. Links may lead to steps that the journal no longer holds. If the state
/// before a step is among those, the step has that state itself, as its `base`.
public struct JournalRecord: Sendable, Equatable {
    /// The kind of a step. The raw value is stored.
    public enum Kind: UInt8, Sendable {
        /// Erased with its deleted instance; only its position is left.
        case erased = 0
        /// The instance was created: version 0, initial state and output.
        case created = 1
        case step = 2
        case stopped = 3
        /// Only effects changed; uses no version.
        case effect = 5
        /// The instance was deleted; belongs to no instance number.
        case deleted = 4
        /// An operator suspended the instance, or its whole machine. Like the next two kinds, it
        /// uses no version, and has no instance number if there is no instance.
        case suspended = 6
        /// A suspended or set-aside instance or machine was resumed.
        case resumed = 7
        /// The server has set the instance aside, because its steps ended the process.
        case setAside = 8
    }

    /// The instance before a step, if the journal no longer held it then.
    public struct Base: Sendable, Equatable {
        public var state: [UInt8]
        public var at: Timestamp

        public init(state: [UInt8], at: Timestamp) {
            self.state = state
            self.at = at
        }
    }

    /// One output: the case's name if it is an enum, and the whole value as JSON.
    public typealias Output = StepBuffer.Output

    /// Its journal position; not part of the encoded bytes.
    public var sequence: JournalPosition
    public var kind: Kind
    /// Its instance; 0 for `.deleted` and `.erased`, and for holds without an instance.
    public var number: InstanceNumber = InstanceNumber(0)
    /// The instance's name, or ``InstanceName/init(allOf:)``; `nil` only for `.erased`.
    public var name: InstanceName?
    /// The instance's version after the step.
    public var version: Int64 = 0
    public var at = Timestamp(milliseconds: 0)
    /// The instance's step before this one; 0 when there is none.
    public var previous: JournalPosition = 0
    /// The step of the multiple of 64^k before this one, for versions that are one; else 0.
    public var skip: JournalPosition = 0
    /// For an `.effect`: the instance's newest step before it of another kind, or an `.effect`
    /// after that one; 0 if only `previous` is between. So a search reads one step for thousands of
    /// them in a row.
    public var beforeEffects: JournalPosition = 0
    /// The step that holds the state after this one: itself when `state` isn't `nil`.
    public var stateAt: JournalPosition = 0
    public var isDone = false
    /// The event as it was sent, as JSON; `nil` without an event.
    public var event: [UInt8]?
    public var dedup: [UInt8]?
    /// For a `.step` with a dedup key: the hash of the event as its machine encodes it. `nil` in
    /// files from before schema 5.
    public var eventHash: EventHash?
    public var outputs: [Output] = []
    /// The state after the step as JSON, if it differs from the one before.
    public var state: [UInt8]?
    /// The changes of effects, in order: one JSON object each, the `data` of a record of kind
    /// `effect`.
    public var effects: [[UInt8]] = []
    /// The changed rows of effects, as encoded ``JournaledEffects``; `nil` if no row has changed,
    /// or if the rows are written with the commit.
    public var effectRows: [UInt8]?
    /// For `.stopped` and `.suspended`: the client's reason. For a `.deleted` one that no client
    /// requested, and for `.setAside`: the server's.
    public var reason: String?
    /// The instance before, if the journal no longer held it.
    public var base: Base?
    /// For `.created` and `.step`: the version of the machine's definition, if it differs from the
    /// step before. `nil` in files from before this member.
    public var definitionVersion: String?
    /// The number of the principal whose request made the step; 0 for steps of timers, results and
    /// children, of nobody in particular, and in files from before schema 7.
    public var by: UInt32 = 0
    /// The trace of the request that made the step, or caused the effect whose result it applies.
    /// `nil` in files from before schema 8.
    public var trace: TraceParent?

    /// Whether it records a hold or its end.
    var isAboutHold: Bool {
        switch kind {
        case .suspended, .resumed, .setAside: true
        case .erased, .created, .step, .stopped, .effect, .deleted: false
        }
    }

    /// Whether the snapshot after it, and the rows of the instance's effects, follow from those
    /// before and the record: it doesn't end the instance, and has all rows that it changes.
    var followsFromJournal: Bool {
        switch kind {
        case .step: !isDone && (effects.isEmpty || effectRows != nil)
        case .effect: !isDone && effectRows != nil
        case .erased, .created, .stopped, .deleted, .suspended, .resumed, .setAside: false
        }
    }

    /// Whether it made its version.
    public var makesVersion: Bool { kind == .created || kind == .step }

    /// The entry of the step's dedup key; `nil` if the record doesn't have its event's hash.
    public var dedupEntry: DedupEntry? {
        guard let eventHash, let event else { return nil }
        var entry = DedupEntry(
            hashHigh: eventHash.high, hashLow: eventHash.low, version: version, sequence: sequence,
            changed: state != nil, done: isDone)
        entry.written = EventHash(written: event)
        return entry
    }

    var versionBefore: Int64 { kind == .step ? version - 1 : version }

    /// Bit of the kind byte: the record has a base.
    private static let baseFlag: UInt8 = 0x80

    /// Bit of the kind byte: `beforeEffects` isn't 0.
    private static let beforeEffectsFlag: UInt8 = 0x40

    /// Bit of the kind byte: `definitionVersion` isn't `nil`.
    private static let definitionFlag: UInt8 = 0x20

    /// Bit of the kind byte: `eventHash` isn't `nil`.
    private static let eventHashFlag: UInt8 = 0x10

    private static let allFlags = baseFlag | beforeEffectsFlag | definitionFlag | eventHashFlag

    static func kind(inFirst byte: UInt8) -> Kind? { Kind(rawValue: byte & ~allFlags) }

    /// The byte that begins a record with ``by``, which follows it: no kind and no flag.
    static let byMark: UInt8 = 0x0F

    /// The byte that begins a record with ``trace``, which follows it; before ``byMark``.
    static let traceMark: UInt8 = 0x0E

    /// What stands before the kind byte, and that byte.
    struct Beginning {
        var trace: TraceParent?
        var by: UInt32 = 0
        var first: UInt8 = 0

        init(_ reader: inout ByteReader) throws(StoreError) {
            first = try reader.byte()
            if first == traceMark {
                var bytes: [UInt8] = []
                for _ in 0..<TraceParent.encodedBytes { bytes.append(try reader.byte()) }
                trace = TraceParent(encoded: bytes)
                guard trace != nil else {
                    throw .corrupt("a journal step belongs to a trace without an id")
                }
                first = try reader.byte()
            }
            guard first == byMark else { return }
            guard let number = UInt32(exactly: try reader.integer()), number > 0 else {
                throw .corrupt("a journal step is by no principal")
            }
            by = number
            first = try reader.byte()
        }
    }

    /// Whether a record with these flags changes effects.
    static func changesEffects(_ flags: UInt8) -> Bool {
        Flags(rawValue: flags).contains(.effects)
    }

    /// Whether a record with these flags has a dedup key.
    static func hasDedup(_ flags: UInt8) -> Bool { Flags(rawValue: flags).contains(.dedup) }

    public init(
        sequence: JournalPosition, kind: Kind, by: UInt32 = 0, trace: TraceParent? = nil
    ) {
        self.sequence = sequence
        self.kind = kind
        self.by = by
        self.trace = trace
    }

    /// Makes it the record that `init` makes, in its own memory.
    mutating func reset(
        sequence: JournalPosition, kind: Kind, by: UInt32, trace: TraceParent?
    ) {
        self.sequence = sequence
        self.kind = kind
        number = InstanceNumber(0)
        name = nil
        version = 0
        at = Timestamp(milliseconds: 0)
        previous = 0
        skip = 0
        beforeEffects = 0
        stateAt = 0
        isDone = false
        event = nil
        dedup = nil
        eventHash = nil
        if !outputs.isEmpty { outputs = [] }
        state = nil
        if !effects.isEmpty { effects = [] }
        effectRows = nil
        reason = nil
        base = nil
        definitionVersion = nil
        self.by = by
        self.trace = trace
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let done = Flags(rawValue: 1)
        static let event = Flags(rawValue: 2)
        static let dedup = Flags(rawValue: 4)
        static let state = Flags(rawValue: 8)
        static let skip = Flags(rawValue: 16)
        static let outputs = Flags(rawValue: 32)
        static let reason = Flags(rawValue: 64)
        static let effects = Flags(rawValue: 128)
    }

    /// Appends the record's bytes. Positions of other steps are written as distances.
    public func encode(into bytes: inout [UInt8]) {
        bytes.append(atMost: encodedBytesMax) { writer in
            guard kind != .erased else { return writer.append(kind.rawValue) }
            encodeBeginning(into: &writer)
            encodeLinks(into: &writer)
            encodeContent(into: &writer)
        }
    }

    /// No fewer bytes than ``encode(into:)`` appends: at most twenty integers and those of the
    /// lists, four single bytes, and the rest.
    private var encodedBytesMax: Int {
        let integers = 24 + 2 * outputs.count + effects.count
        var bytes = ByteWriter.hashBytes + TraceParent.encodedBytes
        bytes += (name?.text.utf8.count ?? 0) + (definitionVersion?.utf8.count ?? 0)
        bytes += (event?.count ?? 0) + (dedup?.count ?? 0) + (state?.count ?? 0)
        bytes += (reason?.utf8.count ?? 0) + (effectRows?.count ?? 0) + (base?.state.count ?? 0)
        for output in outputs { bytes += (output.type?.utf8.count ?? 0) + output.data.count }
        for effect in effects { bytes += effect.count }
        return integers * ByteWriter.integerBytes + bytes
    }

    /// Writes what stands before the kind byte, that byte, and the flags.
    private func encodeBeginning(into writer: inout ByteWriter) {
        if let trace {
            writer.append(JournalRecord.traceMark)
            trace.encoded.withUnsafeBytes { writer.append(raw: $0) }
        }
        if by != 0 {
            writer.append(JournalRecord.byMark)
            writer.append(Int64(by))
        }
        writer.append(
            kind.rawValue | (base == nil ? 0 : JournalRecord.baseFlag)
                | (beforeEffects == 0 ? 0 : JournalRecord.beforeEffectsFlag)
                | (definitionVersion == nil ? 0 : JournalRecord.definitionFlag)
                | (eventHash == nil ? 0 : JournalRecord.eventHashFlag))
        var flags: Flags = []
        if isDone { flags.insert(.done) }
        if event != nil { flags.insert(.event) }
        if dedup != nil { flags.insert(.dedup) }
        if state != nil { flags.insert(.state) }
        if skip != 0 { flags.insert(.skip) }
        if !outputs.isEmpty { flags.insert(.outputs) }
        if reason != nil { flags.insert(.reason) }
        if !effects.isEmpty || effectRows != nil { flags.insert(.effects) }
        writer.append(flags.rawValue)
    }

    /// Writes whose step it is, when it was, and the places of others.
    private func encodeLinks(into writer: inout ByteWriter) {
        writer.append(number.value)
        writer.append(name?.text ?? "")
        writer.append(version)
        writer.append(at.milliseconds)
        writer.append(previous == 0 ? 0 : sequence - previous)
        if skip != 0 { writer.append(sequence - skip) }
        if beforeEffects != 0 { writer.append(sequence - beforeEffects) }
        // A step with a base holds the state after it in any case: its own, or the base's.
        if state == nil, base == nil { writer.append(stateAt == 0 ? 0 : sequence - stateAt) }
        if let definitionVersion { writer.append(definitionVersion) }
    }

    private func encodeContent(into writer: inout ByteWriter) {
        if let event { writer.append(event) }
        if let dedup { writer.append(dedup) }
        if let eventHash { writer.append(eventHash) }
        if !outputs.isEmpty {
            writer.append(Int64(outputs.count))
            for output in outputs {
                writer.append(output.type ?? "")
                writer.append(output.data)
            }
        }
        if let state { writer.append(state) }
        if let reason { writer.append(reason) }
        if !effects.isEmpty || effectRows != nil {
            // Files of earlier schemas have no records without effects.
            if let effectRows {
                writer.append(Int64(0))
                writer.append(effectRows)
            }
            writer.append(Int64(effects.count))
            for effect in effects { writer.append(effect) }
        }
        if let base {
            writer.append(base.at.milliseconds)
            writer.append(base.state)
        }
    }

    /// Decodes the bytes of exactly one record.
    ///
    /// - Parameter isForRedo: Whether to leave out the outputs, and the event unless it has a dedup
    ///   key: ``StoredInstance/redo(_:)`` and ``dedupEntry`` don't need them.
    /// - Throws: `.corrupt` when they aren't one; never traps.
    public init(
        decoding bytes: UnsafeRawBufferPointer, sequence: JournalPosition, isForRedo: Bool = false
    ) throws(StoreError) {
        var reader = ByteReader(bytes)
        let beginning = try Beginning(&reader)
        let first = beginning.first
        guard let kind = JournalRecord.kind(inFirst: first),
            first == 0 && beginning.by == 0 && beginning.trace == nil || kind != .erased
        else { throw .corrupt("journal step \(sequence) is of an unknown kind") }
        self.init(sequence: sequence, kind: kind, by: beginning.by, trace: beginning.trace)
        if kind != .erased { try decodeFields(&reader, behind: first, isForRedo) }
        guard reader.isAtEnd else {
            throw .corrupt("journal step \(sequence) has bytes behind its end")
        }
    }

    private mutating func decodeFields(
        _ reader: inout ByteReader, behind first: UInt8, _ isForRedo: Bool
    ) throws(StoreError) {
        let hasBase = first & JournalRecord.baseFlag != 0
        let flags = Flags(rawValue: try reader.byte())
        isDone = flags.contains(.done)
        number = InstanceNumber(try reader.integer())
        name = InstanceName(inJournal: try reader.span())
        guard name != nil else { throw .corrupt("journal step \(sequence) has no valid name") }
        version = try reader.integer()
        at = Timestamp(milliseconds: try reader.integer())
        previous = try place(reader.integer())
        if flags.contains(.skip) { skip = try place(reader.integer()) }
        if first & JournalRecord.beforeEffectsFlag != 0 {
            beforeEffects = try place(reader.integer())
        }
        stateAt =
            flags.contains(.state) || hasBase ? sequence : try place(reader.integer())
        if first & JournalRecord.definitionFlag != 0 { definitionVersion = try reader.string() }
        if flags.contains(.event) {
            let span = try reader.span()
            if !isForRedo || flags.contains(.dedup) { event = Array(span) }
        }
        if flags.contains(.dedup) { dedup = try reader.array() }
        if first & JournalRecord.eventHashFlag != 0 { eventHash = try reader.hash() }
        if flags.contains(.outputs) {
            for _ in 0..<(try reader.integer()) {
                let (type, data) = (try reader.span(), try reader.span())
                guard !isForRedo else { continue }
                let text = try ByteReader.string(type)
                outputs.append(Output(type: text.isEmpty ? nil : text, data: Array(data)))
            }
        }
        if flags.contains(.state) { state = try reader.array() }
        if flags.contains(.reason) { reason = try reader.string() }
        if flags.contains(.effects) {
            var count = try reader.integer()
            if count == 0 {
                effectRows = try reader.array()
                count = try reader.integer()
            }
            for _ in 0..<count { effects.append(try reader.array()) }
        }
        if hasBase {
            let at = Timestamp(milliseconds: try reader.integer())
            base = Base(state: try reader.array(), at: at)
        }
    }

    private func place(_ distance: Int64) throws(StoreError) -> JournalPosition {
        guard distance < sequence else {
            throw .corrupt("journal step \(sequence) points before the journal's start")
        }
        return distance == 0 ? 0 : sequence - distance
    }
}
