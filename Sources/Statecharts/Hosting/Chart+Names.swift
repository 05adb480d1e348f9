import OrderedJSON

// What a server shows of a chart.
extension Chart {
    /// The id of a timer's state; empty for the machine itself.
    func name(of timer: ChartEvent.TimerID) -> String { states[Int(timer.state)].id }

    /// The ids of all states that can be active, in document order.
    public var stateIDs: [String] { states.dropFirst().filter { !$0.isHistory }.map(\.id) }

    /// The ids of all states that can be active, and their dotted paths where these differ, in
    /// document order.
    var stateNames: [String] {
        var names: [String] = []
        for (number, state) in states.enumerated() where number > 0 && !state.isHistory {
            names.append(state.id)
            let path = self.path(of: Int32(number))
            if path != state.id { names.append(path) }
        }
        return names
    }

    /// The names of the active states in a stored state: ids and dotted paths, those without
    /// children first. Empty for what is no state.
    func activeNames(in state: JSONValue) -> [String] {
        guard let value = state["value"] else { return [] }
        var leaves: [String] = []
        var others: [String] = []
        // A state is at most as deep as the definition, which is bounded.
        func walk(_ value: JSONValue, _ parent: Int32, _ path: String) {
            if let name = value.string {
                add(name, parent, path, isLeaf: true)
            } else if let object = value.object {
                for member in object {
                    let isLeaf = member.value.object?.isEmpty ?? false
                    guard let child = add(member.name, parent, path, isLeaf: isLeaf) else {
                        continue
                    }
                    walk(member.value, child, path + member.name + ".")
                }
            }
        }
        @discardableResult
        func add(_ key: String, _ parent: Int32, _ path: String, isLeaf: Bool) -> Int32? {
            guard let child = child(of: parent, key) else { return nil }
            let id = states[Int(child)].id
            let names = path + key == id ? [id] : [id, path + key]
            if isLeaf { leaves += names } else { others += names }
            return child
        }
        walk(value, 0, "")
        return leaves + others
    }

    /// The dotted path of names from the machine.
    private func path(of state: Int32) -> String {
        var names: [String] = []
        var state = state
        while state > 0 {
            names.append(states[Int(state)].key)
            state = states[Int(state)].parent
        }
        return names.reversed().joined(separator: ".")
    }

    /// The event descriptors of the active states, in document order, each once; without those of
    /// the server's own events.
    public func accepted(in state: ChartState) -> [String] {
        var descriptors: [String] = []
        for transition in transitions where state.isActive(transition.source) {
            for descriptor in transition.descriptors
            where !descriptors.contains(descriptor) && !Self.isOfServer(descriptor) {
                guard descriptors.count < ChartLimits.acceptedMax else { return descriptors }
                descriptors.append(descriptor)
            }
        }
        return descriptors
    }

    /// Whether a transition could take events of a type.
    func hasTransition(for type: String) -> Bool {
        let matched = descriptors.match(type)
        return states.contains { $0.on.next(after: -1, matched) != nil }
    }

    /// The types of events in transitions, in document order, each once: without patterns and the
    /// server's own events.
    public var eventTypes: [String] {
        var types = events.map(\.name)
        var known = Set(types)
        for transition in transitions {
            for descriptor in transition.descriptors
            where !descriptor.hasSuffix("*") && !Self.isOfServer(descriptor)
                && known.insert(descriptor).inserted
            {
                types.append(descriptor)
            }
        }
        return types
    }

    private static func isOfServer(_ descriptor: String) -> Bool {
        descriptor.hasPrefix("done.") || descriptor.hasPrefix("error.")
    }

    /// Whether it invokes inline machines, or definitions that it computes.
    var invokesMachinesOfItsOwn: Bool { !inlineCharts.isEmpty || computesDefinitions }

    /// The inline machines, in document order.
    var inlineCharts: [Chart] {
        invocations.compactMap { if case .chart(let chart) = $0.source { chart } else { nil } }
    }

    /// Whether it invokes definitions that it computes.
    var computesDefinitions: Bool {
        invocations.contains {
            switch $0.source {
            case .definition, .computed: true
            case .http, .machine, .handler, .chart: false
            }
        }
    }
}
