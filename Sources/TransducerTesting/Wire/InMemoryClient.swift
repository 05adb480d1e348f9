import OrderedJSON
public import Transducers

/// A client of a machine that is hosted in memory. All values pass between the two as JSON text, as
/// over the wire: events, states and outputs are written, read, and written again.
///
/// A machine behaves here as on a server, and a value that can't be written or read shows. There
/// is no server: no versions, no dedup, no subscriptions. Immediate events run; other effects are
/// recorded as a server would store them (``effects``), but don't run.
public final class InMemoryClient<Machine: RunnableTransducer & InitialState & SendableMetatype>
where Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable {
    private let definition: Definition
    private let limits: StepLimits
    /// The state of each instance, in its stored form.
    private var states: [String: [UInt8]] = [:]
    /// The effects of the last step, in order.
    public private(set) var effects: [HostedEffect] = []

    init(_ definition: Definition, limits: StepLimits) {
        self.definition = definition
        self.limits = limits
    }

    /// Sends an event to an instance, which is created by its first one.
    ///
    /// - Returns: The outputs of the step as JSON texts, in order.
    /// - Throws: `Rejection`; `TransducerError.ended` for an instance that is done; `EventError`
    ///   when the event can't be read back; `StepFailure` for everything else. The instance is then
    ///   unchanged.
    @discardableResult
    public func sendForJSON(
        _ event: Machine.Event, to instance: String = "main"
    ) throws -> [String] {
        var writer = JSONWriter()
        try JSONCoding.encode(event, into: &writer)
        return try send(json: String(decoding: writer.bytes, as: UTF8.self), to: instance)
    }

    /// Sends an event as JSON text, as another program would.
    ///
    /// - Returns: The outputs of the step as JSON texts, in order.
    /// - Throws: As ``sendForJSON(_:to:)``; and `JSONError` for a text that isn't JSON.
    @discardableResult
    public func send(json: String, to instance: String = "main") throws -> [String] {
        let document = try JSONDocument(parsing: Array(json.utf8))
        let event = try definition.machine.decodeEvent(document, at: document.root)
        var step = StepBuffer()
        var outputs: [String] = []
        var hosted: any HostedInstance
        if let state = states[instance] {
            // Read each time, as after a restart.
            hosted = try definition.machine.restoreInstance(state: state)
        } else {
            hosted = try definition.machine.makeInstance()
            try hosted.describeInitial(into: &step)
            outputs = step.texts
        }
        guard !hosted.isTerminal else { throw TransducerError.ended }
        step.removeAll()
        do {
            try hosted.apply(event, in: StepContext(limits: limits), into: &step)
        } catch .rejected(let rejection) {
            throw rejection
        }
        states[instance] = step.state.bytes
        effects = step.effects
        return outputs + step.texts
    }

    /// The state of an instance, read from its stored form; `nil` if there is no such instance.
    ///
    /// - Throws: `JSONDecodingError` when it can't be read back.
    public func state(of instance: String = "main") throws -> Machine.State? {
        try states[instance].map { try Self.decode(Machine.State.self, $0) }
    }

    /// The state of an instance as JSON text; `nil` if there is no such instance.
    public func stateJSON(of instance: String = "main") -> String? {
        states[instance].map { String(decoding: $0, as: UTF8.self) }
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) throws -> Value {
        let document = try JSONDocument(parsing: text)
        return try JSONCoding.decode(type, from: document, at: document.root)
    }
}

extension InMemoryClient where Machine.Output: Codable & Sendable {
    /// A client of a machine that has no instances yet.
    ///
    /// - Parameters:
    ///   - machine: The machine.
    ///   - limits: The bounds of a step; by default those of a server.
    public convenience init(
        of machine: Machine.Type = Machine.self, limits: StepLimits = .server
    ) {
        self.init(Definition(machine, named: "machine", version: "1"), limits: limits)
    }

    /// Sends an event to an instance, which is created by its first one.
    ///
    /// - Returns: The outputs of the step, read back, in order.
    /// - Throws: As ``sendForJSON(_:to:)``; and `JSONDecodingError` when an output can't be read
    ///   back.
    @discardableResult
    public func send(
        _ event: Machine.Event, to instance: String = "main"
    ) throws -> [Machine.Output] {
        try sendForJSON(event, to: instance).map {
            try Self.decode(Machine.Output.self, Array($0.utf8))
        }
    }
}

extension InMemoryClient where Machine.Output == Void {
    /// A client of a machine without outputs that has no instances yet.
    ///
    /// - Parameters: As those of `init(of:limits:)`.
    public convenience init(
        of machine: Machine.Type = Machine.self, limits: StepLimits = .server
    ) {
        self.init(Definition(machine, named: "machine", version: "1"), limits: limits)
    }

    /// Sends an event to an instance, which is created by its first one.
    ///
    /// - Throws: As ``sendForJSON(_:to:)``.
    public func send(_ event: Machine.Event, to instance: String = "main") throws {
        try sendForJSON(event, to: instance)
    }
}

extension StepLimits {
    /// The bounds of a server's steps (docs/reference/limits.md).
    public static var server: StepLimits {
        StepLimits(
            immediateEvents: 1_000, outputs: 64, outputBytes: 1 << 20, stateBytes: 1 << 20)
    }
}

extension StepBuffer {
    fileprivate var texts: [String] {
        outputs.map { String(decoding: $0.data, as: UTF8.self) }
    }
}
