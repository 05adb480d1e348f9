import OrderedJSON

/// The outcome of a step as JSON. It is reused with its buffers for the next step.
public struct StepBuffer: Sendable {
    /// One output.
    public struct Output: Sendable, Equatable {
        /// The case's name if the output is an enum.
        public var type: String?
        /// The value as JSON.
        public var data: [UInt8]

        /// An output as JSON.
        public init(type: String?, data: [UInt8]) {
            self.type = type
            self.data = data
        }
    }

    /// The outputs of the step, in order.
    public var outputs: [Output] = []

    /// The effects of the step, in order.
    public var effects: [HostedEffect] = []

    /// The closures of these effects.
    public var closures = HostedClosures()

    /// The bytes of JSON in the effects.
    public internal(set) var effectBytes = 0

    /// The state after the step.
    public var state = JSONWriter()

    /// Whether that state is terminal.
    public var isTerminal = false

    /// The result of the last step as JSON; `nil` if that is the last output.
    public var result: [UInt8]?

    /// What the step computed, also one that failed, in units of about a microsecond; 0 if the
    /// machine doesn't count it.
    public var work = 0

    /// Buffers of earlier outputs, for the next ones; at most those of one step.
    private var spare: [[UInt8]] = []

    /// For writing the next state.
    @usableFromInline var encoding = EncodingMemory()

    /// The texts of states and outputs that were written before.
    @usableFromInline var texts: TextMemory

    /// An empty buffer.
    ///
    /// - Parameter texts: Remembers states and outputs, if the buffer is for many steps.
    public init(texts: TextMemory = TextMemory()) { self.texts = texts }

    /// Removes the last step and keeps its memory.
    public mutating func removeAll() {
        while var last = outputs.popLast() {
            guard last.data.capacity <= Self.spareBytesMax else { continue }
            last.data.removeAll(keepingCapacity: true)
            spare.append(last.data)
        }
        state.bytes.removeAll(keepingCapacity: true)
        isTerminal = false
        result = nil
        if !effects.isEmpty { effects.removeAll() }
        closures.removeAll()
        effectBytes = 0
        work = 0
    }

    /// Adds an effect of the step.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` for one that can't be stored,
    ///   ``StepFailure/outputLimit(_:)`` for what is nested too deeply or has too long a name.
    public mutating func add(_ effect: HostedEffect) throws(StepFailure) {
        effectBytes += try effect.measured()
        effects.append(effect)
    }

    /// Adds an output of the step.
    ///
    /// - Throws: ``StepFailure/outputLimit(_:)`` for one that is nested too deeply.
    @inlinable
    public mutating func add(output: JSONWriter, type: String?) throws(StepFailure) {
        try TypedStep.checkDepth(of: output.bytes, "an output")
        outputs.append(Output(type: type, data: output.bytes))
    }

    /// Checks the outputs and effects of the step.
    ///
    /// - Throws: ``StepFailure/outputLimit(_:)``.
    public func check(_ limits: StepLimits) throws(StepFailure) {
        if !outputs.isEmpty { try Self.check(outputs, limits) }
        if !effects.isEmpty { try Self.check(effectBytes: effectBytes, limits) }
    }

    /// A writer for the next output.
    public mutating func outputWriter() -> JSONWriter {
        var writer = JSONWriter()
        if let bytes = spare.popLast() { writer.bytes = bytes }
        return writer
    }
}
