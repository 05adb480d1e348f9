import CEL
public import OrderedJSON

extension Chart {
    /// Reads a state that an instance of this chart has written.
    ///
    /// - Throws: ``ChartFailure`` with the JSON path of the fault. States that the chart doesn't
    ///   have, and states that can't be active together, are faults.
    public func restore(_ json: JSONValue) throws(ChartFailure) -> ChartState {
        guard let object = json.object, let value = object["value"],
            case .map(let context)? = object["context"].map({ CELValue($0) })
        else { throw Self.fault("$", "a state is an object with 'value' and 'context'") }
        var state = ChartState()
        state.configuration = [0]
        try readValue(value, of: 0, into: &state, "$.value")
        state.configuration.sort()
        state.context = context
        if let json = object["history"] { try readHistories(json, into: &state) }
        if let json = object["deferred"] { state.deferred = try readDeferred(json) }
        if let json = object["invoked"] { state.invocations = try readInvocations(json) }
        if let json = object["serial"] {
            guard let serial = json.integer, serial >= 0 else {
                throw Self.fault("$.serial", "this is a count")
            }
            state.serial = serial
        }
        if let json = object["finished"] {
            guard let isFinished = json.bool else {
                throw Self.fault("$.finished", "this is true or false")
            }
            state.isFinished = isFinished
        }
        return state
    }

    private static func fault(_ path: String, _ message: String) -> ChartFailure {
        ChartFailure(.evalError, "this is no state of the chart: \(path): \(message)")
    }

    /// Reads the active states within a state; the recursion goes down the tree.
    private func readValue(
        _ json: JSONValue, of parent: Int32, into state: inout ChartState, _ path: String
    ) throws(ChartFailure) {
        let node = states[Int(parent)]
        if let name = json.string {
            guard node.kind == .compound, let child = child(of: parent, name),
                states[Int(child)].isAtomic
            else { throw Self.fault(path, "there is no such state without children") }
            state.configuration.append(child)
            return
        }
        guard let object = json.object else {
            throw Self.fault(path, "this is a name or an object")
        }
        let expected: Int
        switch node.kind {
        case .compound: expected = 1
        case .parallel: expected = node.children.count
        default: expected = 0
        }
        guard object.count == expected else {
            throw Self.fault(path, "\(expected) of the states within are active")
        }
        for member in object {
            let place = "\(path).\(member.name)"
            guard let child = child(of: parent, member.name) else {
                throw Self.fault(place, "there is no such state")
            }
            guard node.kind == .parallel || !states[Int(child)].isAtomic else {
                throw Self.fault(place, "a state without children is written as its name")
            }
            state.configuration.append(child)
            try readValue(member.value, of: child, into: &state, place)
        }
    }

    /// The state within another one that can be active, by its name.
    func child(of parent: Int32, _ key: String) -> Int32? {
        children[parent, key].flatMap { states[Int($0)].isHistory ? nil : $0 }
    }

    private func readHistories(
        _ json: JSONValue, into state: inout ChartState
    ) throws(ChartFailure) {
        guard let object = json.object else {
            throw Self.fault("$.history", "this is an object: a list of states by history state")
        }
        for member in object {
            let path = "$.history.\(member.name)"
            guard let history = identifiers[member.name], states[Int(history)].isHistory,
                let names = member.value.array
            else { throw Self.fault(path, "there is no such history state") }
            var recorded: [Int32] = []
            for name in names {
                guard let found = name.string.flatMap({ identifiers[$0] }) else {
                    throw Self.fault(path, "there is no such state")
                }
                recorded.append(found)
            }
            recorded.sort()
            guard states.canRemember(recorded, by: history) else {
                throw Self.fault(path, "these states can't be active together within")
            }
            state.record(recorded, by: history)
        }
    }

    private func readDeferred(_ json: JSONValue) throws(ChartFailure) -> [ChartEvent] {
        // Nothing else is ever deferred.
        let events = (json.array ?? []).compactMap { ChartEvent(stored: $0) }
            .filter { $0.kind == .external }
        guard events.count == json.array?.count, events.count <= ChartLimits.deferredMax else {
            throw Self.fault("$.deferred", "this is a list of events")
        }
        return events
    }

    private func readInvocations(
        _ json: JSONValue
    ) throws(ChartFailure) -> [ChartState.Invocation] {
        guard let elements = json.array else {
            throw Self.fault("$.invoked", "this is a list of invocations")
        }
        var result: [ChartState.Invocation] = []
        for element in elements {
            guard let id = element["id"]?.string, let serial = element["serial"]?.integer,
                let state = (element["state"]?.string).flatMap({ $0.isEmpty ? 0 : identifiers[$0] }
                ),
                let position = element["position"]?.integer,
                let plan = states[Int(state)].invocations.first(where: {
                    invocations[Int($0)].position == Int(position)
                })
            else { throw Self.fault("$.invoked", "there is no such invocation") }
            result.append(ChartState.Invocation(id: id, plan: plan, serial: serial))
        }
        return result
    }
}
