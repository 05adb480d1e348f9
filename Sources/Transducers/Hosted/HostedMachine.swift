public import OrderedJSON

/// A machine with its types erased to JSON: what a host needs to run instances of it.
///
/// States and events stay typed values in memory behind these protocols; JSON is made only for
/// what is stored and sent.
public protocol HostedMachine: Sendable {
    /// Reads an event as it stands in a client's line.
    ///
    /// - Throws: ``EventError`` with the JSON path of what doesn't fit.
    func decodeEvent(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> any HostedEvent

    /// A new instance in its initial state.
    func makeInstance() throws(StepFailure) -> any HostedInstance

    /// An instance in a state that was stored as JSON.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - version: The version of the definition that it was stored by; `nil` for a state that
    ///     wasn't stored by a server: no member is filled in.
    /// - Throws: ``StepFailure/evaluation(_:)`` when the stored state is none of this machine's.
    func restoreInstance(
        state: [UInt8], from version: String?
    ) throws(StepFailure) -> any HostedInstance

    /// A stored event that can't be read, in a form that may be.
    ///
    /// - Throws: ``EventError`` when the machine can't say.
    func migrate(event: JSONValue) throws(EventError) -> JSONValue

    /// The event that an effect's result becomes, or `nil` for none.
    ///
    /// - Parameters:
    ///   - key: The effect's name.
    ///   - then: The name of the event that the effect asked for.
    ///   - value: The result.
    /// - Throws: ``StepFailure/evaluation(_:)`` when it is none of the machine's events.
    func event(
        ofResult value: JSONValue, key: HostedKey, then: String?
    ) throws(StepFailure) -> (any HostedEvent)?

    /// The event that tells of an effect that failed for good, or `nil` for none.
    func event(ofFailure reason: String, key: HostedKey) -> (any HostedEvent)?

    /// Writes what an instance asks for whose closures are gone.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` for what can't be stored.
    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure)
}

extension HostedMachine {
    /// An instance in a state that is given whole, as JSON.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` when the stored state is none of this machine's.
    public func restoreInstance(state: [UInt8]) throws(StepFailure) -> any HostedInstance {
        try restoreInstance(state: state, from: nil)
    }

    /// The event as it is.
    public func migrate(event: JSONValue) throws(EventError) -> JSONValue { event }

    /// Reads an event that was stored, perhaps by an earlier version.
    ///
    /// - Throws: ``EventError``, when the machine has no such event any more.
    public func decodeEvent(_ value: JSONValue) throws(EventError) -> any HostedEvent {
        do throws(EventError) {
            return try read(value)
        } catch {
            let migrated = try migrate(event: value)
            guard migrated != value else { throw error }
            return try read(migrated)
        }
    }

    private func read(_ value: JSONValue) throws(EventError) -> any HostedEvent {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: value.serialized(), limits: .stored)
        } catch {
            throw EventError(path: "$", message: "\(error)", expected: nil)
        }
        return try decodeEvent(document, at: document.root)
    }
}

/// Why an effect of a hosted machine failed, as far as it is stored.
public struct HostedEffectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was thrown, in its own words.
    public let reason: String

    /// Puts it together.
    public init(reason: String) { self.reason = reason }

    /// What was thrown.
    public var description: String { reason }
}

/// A decoded event, ready to be applied to instances of the machine that decoded it. An object,
/// because it is remembered and handed around more often than it is made.
public protocol HostedEvent: AnyObject, Sendable {
    /// The event in canonical form, for comparing events that were written differently.
    func canonicalText() throws(StepFailure) -> [UInt8]
}

/// One instance in memory: a state that events are applied to.
public protocol HostedInstance: Sendable {
    /// Whether the state is terminal.
    var isTerminal: Bool { get }

    /// Writes the initial output, if there is one, and the state of a new instance.
    func describeInitial(into step: inout StepBuffer) throws(StepFailure)

    /// Applies one external event and all immediate events it causes, and describes the outcome.
    ///
    /// - Throws: ``StepFailure``; the state is then as it was.
    mutating func apply(
        _ event: any HostedEvent, limits: StepLimits, into step: inout StepBuffer
    ) throws(StepFailure)
}

/// The outcome of a step as JSON. Reused from step to step, so that its buffers are too.
public struct StepBuffer: Sendable {
    /// One output.
    public struct Output: Sendable, Equatable {
        /// The case's name where the output is an enum, else `nil`.
        public var type: String?
        /// The whole value as JSON.
        public var data: [UInt8]

        /// Puts the two together.
        public init(type: String?, data: [UInt8]) {
            self.type = type
            self.data = data
        }
    }

    /// The outputs of the step, in order.
    public var outputs: [Output] = []

    /// What the step asks its host for, in order.
    public var effects: [HostedEffect] = []

    /// The closures among them.
    public var closures = HostedClosures()

    /// How many bytes of JSON they carry.
    public internal(set) var effectBytes = 0

    /// The state after the step.
    public var state = JSONWriter()

    /// Whether that state is terminal.
    public var isTerminal = false

    /// Memory of outputs of earlier steps, for the next ones; at most as many as a step has.
    private var spare: [[UInt8]] = []

    /// An output of more bytes than this gives its memory back.
    private static let spareBytesMax = 1_024

    /// An empty buffer.
    public init() {}

    /// Forgets the last step and keeps the memory.
    public mutating func removeAll() {
        while var last = outputs.popLast() {
            guard last.data.capacity <= Self.spareBytesMax else { continue }
            last.data.removeAll(keepingCapacity: true)
            spare.append(last.data)
        }
        state.bytes.removeAll(keepingCapacity: true)
        isTerminal = false
        if !effects.isEmpty { effects.removeAll() }
        closures.removeAll()
        effectBytes = 0
    }

    /// A writer for the next output.
    @usableFromInline
    mutating func outputWriter() -> JSONWriter {
        var writer = JSONWriter()
        if let bytes = spare.popLast() { writer.bytes = bytes }
        return writer
    }
}

/// The bounds of one step.
public struct StepLimits: Sendable {
    /// Immediate events that one external event may cause.
    public var immediateEvents: Int
    /// Outputs of a step.
    public var outputs: Int
    /// Bytes of all outputs of a step as JSON, and of what its effects carry.
    public var outputBytes: Int
    /// Bytes of the state after the step as JSON.
    public var stateBytes: Int

    /// Puts the bounds together.
    public init(immediateEvents: Int, outputs: Int, outputBytes: Int, stateBytes: Int) {
        self.immediateEvents = immediateEvents
        self.outputs = outputs
        self.outputBytes = outputBytes
        self.stateBytes = stateBytes
    }
}

/// Why a step was not taken. The state is as it was.
public enum StepFailure: Error, Sendable, Equatable {
    /// The event doesn't fit the state.
    case rejected(Rejection)
    /// `update` threw something else, or a value could not be written as JSON.
    case evaluation(String)
    /// The step made more outputs, or more bytes of them or of its effects, than a step may.
    case outputLimit(String)
    /// The external event caused more immediate events than a step may apply.
    case eventLimit(Int)
    /// The state after the step would have more bytes than a state may.
    case stateTooLarge(Int, max: Int)
}

/// Why an event could not be read.
public struct EventError: Error, Sendable, Equatable {
    /// The JSON path of the offending value from the line's root, such as `$.event.amount`.
    public let path: String
    /// What is wrong there, for people.
    public let message: String
    /// What would do, if known.
    public let expected: String?

    /// Puts the three together.
    public init(path: String, message: String, expected: String?) {
        self.path = path
        self.message = message
        self.expected = expected
    }
}
