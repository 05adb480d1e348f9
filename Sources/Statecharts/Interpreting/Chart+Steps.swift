public import CEL
import OrderedJSON

extension Chart {
    /// What is wrong with an event from outside: the JSON path in the event, and one sentence.
    ///
    /// - Returns: Nil if the event fits its declaration, or has none.
    public func fault(of event: ChartEvent) -> (path: String, message: String)? {
        guard let schema = events[event.type]?.object else { return nil }
        return EventSchema(schema).fault(of: event.members)
    }

    /// Creates an instance: fills the context, enters the initial states, and completes the first
    /// macrostep.
    ///
    /// - Parameter input: Replaces members of the context with the same names; others are dropped.
    /// - Throws: ``ChartFailure``.
    public func start(
        input: CELMap = CELMap(), _ environment: ChartEnvironment
    ) throws(ChartFailure) -> ChartStep {
        var interpreter = Interpreter(self, ChartState(), environment)
        do throws(ChartFailure) {
            try interpreter.start(input: input)
        } catch {
            throw error.after(interpreter.work)
        }
        return ChartStep(&interpreter)
    }

    /// Applies an event with everything that it causes at once. A finished instance takes nothing.
    ///
    /// - Throws: ``ChartFailure``; the state is then as it was.
    public func step(
        _ state: ChartState, _ event: ChartEvent, _ environment: ChartEnvironment
    ) throws(ChartFailure) -> ChartStep {
        guard !state.isFinished else {
            return ChartStep(state: state, requests: [], isChanged: false)
        }
        var interpreter = Interpreter(self, state, environment)
        do throws(ChartFailure) {
            try interpreter.take(event)
        } catch {
            throw error.after(interpreter.work)
        }
        return ChartStep(&interpreter)
    }

    /// Stops an instance from outside: its exit actions run (SCXML 6.4.3). `event` and `meta` are
    /// null then.
    ///
    /// - Throws: ``ChartFailure``.
    public func stop(
        _ state: ChartState, _ environment: ChartEnvironment
    ) throws(ChartFailure) -> ChartStep {
        guard !state.isFinished else {
            return ChartStep(state: state, requests: [], isChanged: false)
        }
        var interpreter = Interpreter(self, state, environment)
        try interpreter.finish()
        return ChartStep(&interpreter)
    }
}

extension ChartStep {
    /// The result of an interpreter that has ended: moved out of it, not copied.
    init(_ interpreter: inout Interpreter) {
        self.init(
            state: ChartState(), requests: [], isChanged: interpreter.isChanged,
            work: interpreter.work, entered: interpreter.entered)
        swap(&state, &interpreter.state)
        swap(&requests, &interpreter.requests)
    }
}
