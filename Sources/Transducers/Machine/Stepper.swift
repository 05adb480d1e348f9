/// One step of a machine: an event and, depth-first and in order, everything it causes at once.
/// Keeps its memory from step to step.
@usableFromInline
struct Stepper<Machine: RunnableTransducer> {
    @usableFromInline typealias Node = EffectNode<Machine.Event, Machine.Env>

    /// How a call of ``advance(_:)`` ended.
    @usableFromInline
    enum Ending {
        /// Nothing is left to apply.
        case done
        /// The state is terminal.
        case terminal
        /// The outputs should be delivered before more events are applied; call again.
        case paused
    }

    /// The next event, before everything that waits.
    @usableFromInline var first: Machine.Event?
    /// What is still to be looked at, last first.
    @usableFromInline var waiting: [Node] = []
    /// What is to be carried out after the step, in order.
    @usableFromInline var effects: [Node] = []
    /// The outputs so far, in order, if anybody listens.
    @usableFromInline var outputs: [Machine.Output] = []
    /// The last output.
    @usableFromInline var result: Machine.Output?
    /// What to tell the trace, if there is one.
    @usableFromInline var records: [TraceRecord<Machine>] = []
    /// How many events the step has applied.
    @usableFromInline var applied = 0

    @usableFromInline let immediateEventsMax: Int?
    @usableFromInline var keepsOutputs: Bool
    @usableFromInline let isTraced: Bool

    /// The outputs after which a step without a bound pauses for delivery.
    @inlinable static var pauseInterval: Int { 256 }

    @inlinable
    init(immediateEventsMax: Int?, keepsOutputs: Bool, isTraced: Bool) {
        self.immediateEventsMax = immediateEventsMax
        self.keepsOutputs = keepsOutputs
        self.isTraced = isTraced
    }

    /// Makes ready for a new event from outside.
    @inlinable
    mutating func begin(_ node: Node) {
        applied = 0
        if case .event(let event) = node, waiting.isEmpty {
            first = event
        } else {
            waiting.append(node)
        }
    }

    /// Applies what waits, and keeps the outputs if somebody listens.
    ///
    /// - Throws: What `update` threw, or ``TransducerError/immediateEventLimit(_:)``. The state
    ///   is then as it was, and outputs and effects of the call are forgotten.
    @inlinable
    mutating func advance(_ state: inout Machine.State) throws -> Ending {
        var candidate = state
        do {
            let ending = try advance(&candidate) { stepper, output in
                if stepper.keepsOutputs { stepper.outputs.append(output) }
            }
            state = candidate
            return ending
        } catch {
            forget()
            throw error
        }
    }

    /// Applies what waits: the one loop of all steps, whether they run in process or are hosted.
    ///
    /// - Parameter emit: Called with each output.
    /// - Throws: What `update` or `emit` threw, or ``TransducerError/immediateEventLimit(_:)``.
    ///   The state is then of no use.
    @inlinable @inline(__always)
    mutating func advance(
        _ state: inout Machine.State,
        emit: (inout Stepper, Machine.Output) throws -> Void
    ) throws -> Ending {
        guard var event = nextEvent() else { return .done }
        while true {
            applied += 1
            if hasExceededLimit, let max = immediateEventsMax {
                throw TransducerError.immediateEventLimit(max)
            }
            let before = isTraced ? state : nil
            let (effect, output) = try Machine.step(&state, event)
            try emit(&self, output)
            let isTerminal = state.isTerminal
            if isTerminal { result = output }
            if let before {
                records.append(.applied(event, before: before, after: state, output: output))
            }
            if isTerminal {
                end(with: effect?.node)
                return .terminal
            }
            if let node = effect?.node {
                if case .event(let next) = node, waiting.isEmpty, !mayPause {
                    event = next
                    continue
                }
                waiting.append(node)
            }
            guard let next = nextEvent() else { return .done }
            if mayPause {
                first = next
                return .paused
            }
            event = next
        }
    }

    /// Whether the step has more immediate events than it may have.
    @inlinable
    var hasExceededLimit: Bool { immediateEventsMax.map { applied > $0 &+ 1 } ?? false }

    @inlinable
    var mayPause: Bool { immediateEventsMax == nil && outputs.count >= Self.pauseInterval }

    /// The next immediate event. What is no immediate event goes to ``effects``.
    @inlinable
    mutating func nextEvent() -> Machine.Event? {
        if let event = first {
            first = nil
            return event
        }
        while let node = waiting.popLast() {
            switch node {
            case .event(let event):
                return event
            case .events(let events):
                for event in events.reversed() { waiting.append(.event(event)) }
            case .all(let nodes):
                waiting.append(contentsOf: nodes.reversed())
            case .sequence(let nodes):
                lookInto(nodes)
            case .action, .operation, .cancel, .updateQueue:
                effects.append(node)
            }
        }
        return nil
    }

    /// A sequence is begun in the step as far as it begins with immediate events.
    @usableFromInline
    mutating func lookInto(_ nodes: [Node]) {
        switch nodes.first {
        case nil: break
        case .event?, .events?:
            if nodes.count > 1 { waiting.append(.sequence(Array(nodes.dropFirst()))) }
            waiting.append(nodes[0])
        default: effects.append(.sequence(nodes))
        }
    }

    /// The last step asks for effects, but causes no more events; what was to come before is
    /// dropped with everything else that lives.
    @usableFromInline
    mutating func end(with node: Node?) {
        waiting.removeAll()
        effects.removeAll()
        if let node { effects.append(node) }
    }

    /// Calls `trace` with the records, and removes them.
    @usableFromInline
    mutating func flush(to trace: ((TraceRecord<Machine>) -> Void)?) {
        for record in records { trace?(record) }
        records.removeAll(keepingCapacity: true)
    }

    @usableFromInline
    mutating func forget() {
        waiting.removeAll()
        effects.removeAll()
        outputs.removeAll()
        records.removeAll()
        result = nil
    }
}
