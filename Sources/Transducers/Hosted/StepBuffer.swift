import OrderedJSON

/// The outcome of a step as JSON. Reused from step to step, so that its buffers are too.
public struct StepBuffer: Sendable {
    /// One output.
    public struct Output: Sendable, Equatable {
        /// The case's name where the output is an enum, else `nil`.
        public var type: String?
        /// The whole value as JSON.
        public var data: [UInt8]

        /// An output as JSON.
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
