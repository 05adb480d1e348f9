import OrderedJSON

/// One step of a Swift transducer, typed. Inlinable, so that it is compiled for the concrete
/// types wherever a definition is made.
@usableFromInline
enum TypedStep {
    /// Applies an event and, depth-first and in order, everything it causes at once; writes the
    /// outputs and the state.
    @inlinable
    static func run<Machine: RunnableTransducer>(
        _ machine: Machine.Type, _ state: inout Machine.State, _ event: Machine.Event,
        env: HostedEnv<Machine.Env>?, limits: StepLimits, into step: inout StepBuffer,
        emit: (Machine.Output, inout StepBuffer) throws(StepFailure) -> Void
    ) throws(StepFailure)
    where Machine.State: Encodable, Machine.Event: Encodable & SendableMetatype {
        var stepper = Stepper<Machine>(
            immediateEventsMax: limits.immediateEvents, keepsOutputs: false, isTraced: false)
        stepper.begin(with: event)
        var failure: StepFailure?
        do {
            _ = try stepper.advance(&state) { _, output in
                do throws(StepFailure) {
                    try emit(output, &step)
                    try StepBuffer.check(step.outputs, limits)
                } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            if let failure { throw failure }
            if stepper.hasExceededLimit { throw .eventLimit(limits.immediateEvents) }
            throw StepFailure(thrown: error)
        }
        if !stepper.effects.isEmpty {
            try write(effects: stepper.effects, env: env, into: &step)
            try StepBuffer.check(effectBytes: step.effectBytes, limits)
        }
        step.isTerminal = state.isTerminal
        try write(state: state, limit: limits.stateBytes, into: &step)
    }

    /// Writes what the step asks for.
    @inlinable
    static func write<Event: Encodable & SendableMetatype, Env>(
        effects: [EffectNode<Event, Env>], env: HostedEnv<Env>?, into step: inout StepBuffer
    ) throws(StepFailure) {
        for node in effects where !node.isEmpty {
            try step.add(node.hosted(env: env, closures: &step.closures))
        }
    }

    /// Writes the state as JSON, at most `limit` bytes of it, and nested no deeper than what is
    /// read from outside.
    @inlinable
    static func write<State: Encodable>(
        state: State, limit: Int, into step: inout StepBuffer
    ) throws(StepFailure) {
        let known = step.texts.recall(state, into: &step.state)
        if known != .written {
            do {
                try JSONCoding.encode(state, into: &step.state, using: &step.encoding)
            } catch {
                throw .evaluation("the state can't be written: \(error.message)")
            }
        }
        guard step.state.bytes.count <= limit else {
            throw .stateTooLarge(step.state.bytes.count, max: limit)
        }
        guard known != .written else { return }
        try checkDepth(of: step.state.bytes, "a state")
        if case .slot(let slot) = known { step.texts.remember(step.state.bytes, in: slot) }
    }

    /// Refuses what a client's reader, or the one of the next start, might not take back.
    @usableFromInline
    static func checkDepth(of json: [UInt8], _ noun: String) throws(StepFailure) {
        let max = JSONLimits.standard.depthMax
        guard !JSONDepth.exceeds(max, in: json) else {
            throw .outputLimit("\(noun) may be nested \(max) deep as JSON")
        }
    }

    /// Writes an output as JSON, unless it is silent.
    @inlinable
    static func write<Output: Encodable>(
        output: Output, traits: OutputTraits, into step: inout StepBuffer
    ) throws(StepFailure) {
        if traits.mayBeSilent, (output as? any SilenceableOutput)?.isSilent == true { return }
        var writer = step.outputWriter()
        let known = step.texts.recall(output, into: &writer)
        if known != .written {
            do {
                try JSONCoding.encode(output, into: &writer, using: &step.encoding)
            } catch {
                throw .evaluation("an output can't be written: \(error.message)")
            }
        }
        try step.add(
            output: writer, type: traits.hasName ? CaseName.read(writer.bytes) : nil)
        if case .slot(let slot) = known { step.texts.remember(writer.bytes, in: slot) }
    }
}

extension StepFailure {
    /// The failure that an error thrown by `update` is.
    @usableFromInline
    init(thrown error: any Error) {
        if let rejection = error as? Rejection {
            self = .rejected(rejection)
        } else {
            self = .evaluation(String(describing: error))
        }
    }
}

extension StepBuffer {
    // These get only what they look at: a method would get a copy of the whole buffer.

    @usableFromInline
    static func check(effectBytes: Int, _ limits: StepLimits) throws(StepFailure) {
        guard effectBytes <= limits.outputBytes else {
            throw .outputLimit("a step's effects may carry \(limits.outputBytes) bytes")
        }
    }

    @usableFromInline
    static func check(_ outputs: [Output], _ limits: StepLimits) throws(StepFailure) {
        guard outputs.count <= limits.outputs else {
            throw .outputLimit("a step may have \(limits.outputs) outputs")
        }
        // The sum is taken where it can matter: few steps have more than one output.
        let bytes = outputs.reduce(0) { $0 + $1.data.count }
        guard bytes <= limits.outputBytes else {
            throw .outputLimit("a step's outputs may have \(limits.outputBytes) bytes")
        }
    }
}
