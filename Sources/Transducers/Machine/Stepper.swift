/// One step of a machine: an event and its immediate events, depth-first and in order. It keeps its
/// memory from step to step.
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
    /// The nodes to process, last first.
    @usableFromInline var waiting: [Node] = []
    /// The effects to carry out after the step, in order.
    @usableFromInline var effects: [Node] = []
    /// The outputs so far, in order, if ``keepsOutputs``.
    @usableFromInline var outputs: [Machine.Output] = []
    /// The last output.
    @usableFromInline var result: Machine.Output?
    /// The records for the trace, if there is one.
    @usableFromInline var records: [TraceRecord<Machine>] = []
    /// The number of events that the step has applied.
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

    /// Begins a step with an event from outside.
    @inlinable
    mutating func begin(_ node: Node) {
        applied = 0
        if case .event(let event) = node, waiting.isEmpty {
            first = event
        } else {
            waiting.append(node)
        }
    }

    /// Begins the first step with an event from outside: without a node, which would be copied.
    @inlinable
    mutating func begin(with event: Machine.Event) {
        applied = 0
        first = event
    }

    /// Applies the waiting events.
    ///
    /// - Throws: What `update` threw, or ``TransducerError/immediateEventLimit(_:)``. The state
    ///   is then unchanged, and outputs and effects of the call are dropped.
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

    /// Applies the waiting events: the loop of all steps, in process and on a host.
    ///
    /// - Parameter emit: Called with each output.
    /// - Throws: What `update` or `emit` threw, or ``TransducerError/immediateEventLimit(_:)``.
    ///   The state is then undefined.
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
            let (asked, output) = try Machine.step(&state, event)
            try emit(&self, output)
            let isTerminal = state.isTerminal
            if isTerminal { result = output }
            if let before {
                records.append(.applied(event, before: before, after: state, output: output))
            }
            if isTerminal {
                end(with: asked?.node)
                return .terminal
            }
            // Consumed: most steps ask for nothing, and then there is nothing to destroy.
            switch consume asked {
            case nil: break
            case let effect?:
                if case .event(let next) = effect.node, waiting.isEmpty, !mayPause {
                    event = next
                    continue
                }
                waiting.append(effect.node)
            }
            guard let next = nextEvent() else { return .done }
            if mayPause {
                first = next
                return .paused
            }
            event = next
        }
    }

    /// Whether the step has too many immediate events.
    @inlinable
    var hasExceededLimit: Bool { immediateEventsMax.map { applied &- 1 > $0 } ?? false }

    @inlinable
    var mayPause: Bool { immediateEventsMax == nil && outputs.count >= Self.pauseInterval }

    /// The next immediate event; adds other nodes before it to ``effects``.
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

    /// Begins a sequence in the step, as far as it begins with immediate events.
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

    /// Ends the machine: keeps the effects of its last event, and drops all earlier ones.
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
