import CEL
public import OrderedJSON

extension Chart {
    /// Writes the state of an instance as JSON: `{"value":…,"context":{…}}`, and the members that
    /// are needed to continue, where they aren't empty: `history` (ids by the id of the history
    /// state), `deferred` events, `invoked` (the running invocations), `serial`, and `finished`.
    public func write(_ state: ChartState, to writer: inout JSONWriter) {
        writer.literal("{\"value\":")
        writeValue(state, &writer)
        writer.literal(",\"context\":")
        ContextValue.write(state.context, &writer)
        if !state.histories.isEmpty { writeHistories(state, &writer) }
        if !state.deferred.isEmpty {
            writer.array("deferred", state.deferred) { writer, event in
                event.write(to: &writer)
            }
        }
        if !state.invocations.isEmpty { writeInvocations(state, &writer) }
        if state.serial > 0 { writer.member("serial", state.serial) }
        writer.flag("finished", state.isFinished)
        writer.literal("}")
    }

    /// The state as JSON text.
    public func json(of state: ChartState) -> [UInt8] {
        var writer = JSONWriter()
        write(state, to: &writer)
        return writer.bytes
    }

    /// The active states as JSON: the member `value` of the state.
    public func activeValue(of state: ChartState) -> JSONValue {
        var writer = JSONWriter()
        writeValue(state, &writer)
        guard let value = try? JSONValue(parsing: writer.bytes) else {
            preconditionFailure("the names of active states are JSON")
        }
        return value
    }

    /// The ids of the active states without children, in document order.
    public func activeStates(of state: ChartState) -> [String] {
        state.configuration.filter { states[Int($0)].isAtomic }.map { states[Int($0)].id }
    }

    /// The tags of the active states in document order, each once.
    public func tags(of state: ChartState) -> [String] {
        var tags: [String] = []
        for active in state.configuration {
            for tag in states[Int(active)].tags where !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    /// Whether a state is active, by its id or its dotted path of names.
    public func isActive(_ name: String, in state: ChartState) -> Bool {
        self.state(named: name).map { state.isActive($0) } ?? false
    }

    private func writeValue(_ state: ChartState, _ writer: inout JSONWriter) {
        // The first one is the machine itself.
        var next = 1
        writeValue(of: 0, state.configuration, &next, &writer)
    }

    /// Writes the active states within a state: a name, or an object where they have active states
    /// themselves. They follow it in document order.
    private func writeValue(
        of parent: Int32, _ active: [Int32], _ next: inout Int, _ writer: inout JSONWriter
    ) {
        let isParallel = states[Int(parent)].kind == .parallel
        var isObject = isParallel
        if isParallel || states[Int(parent)].isAtomic { writer.literal("{") }
        let last = states[Int(parent)].last
        while next < active.count, active[next] <= last {
            let child = active[next]
            next += 1
            if isParallel || !states[Int(child)].isAtomic {
                if !isObject { writer.literal("{") }
                isObject = true
                writer.comma()
                writer.string(states[Int(child)].key)
                writer.literal(":")
                writeValue(of: child, active, &next, &writer)
            } else {
                writer.string(states[Int(child)].key)
            }
        }
        if isObject || states[Int(parent)].isAtomic { writer.literal("}") }
    }

    private func writeHistories(_ state: ChartState, _ writer: inout JSONWriter) {
        writer.name("history")
        writer.literal("{")
        for history in state.histories {
            writer.comma()
            writer.string(states[Int(history.state)].id)
            writer.literal(":[")
            for recorded in history.recorded {
                writer.comma()
                writer.string(states[Int(recorded)].id)
            }
            writer.literal("]")
        }
        writer.literal("}")
    }

    private func writeInvocations(_ state: ChartState, _ writer: inout JSONWriter) {
        writer.array("invoked", state.invocations) { writer, invocation in
            let plan = invocations[Int(invocation.plan)]
            writer.object { writer in
                writer.member("id", invocation.id)
                writer.member("state", states[Int(plan.state)].id)
                writer.member("position", Int64(plan.position))
                writer.member("serial", invocation.serial)
            }
        }
    }
}
