import CEL
import OrderedJSON

extension ChartReader {
    static let transitionWords: Set<String> = [
        "target", "guard", "reenter", "actions", "description",
    ]

    // MARK: Events

    /// Reads `on`: an object by descriptor, or a list where the order of descriptors matters.
    mutating func readEvents(_ json: JSONValue, of state: Int32, _ path: JSONPath) {
        switch json {
        case .object(let object):
            for member in object {
                readTransitions(
                    member.value, [(member.name, path.member(member.name))], of: state,
                    path.member(member.name))
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let place = path.element(index)
                guard let object = element.object, let events = object["event"] else {
                    problems.error(place, "an element of 'on' is an object with 'event'")
                    continue
                }
                let names = texts(
                    events, place.member("event"),
                    "'event' is an event descriptor or a list of them")
                readTransitions(element, names, of: state, place, also: ["event"])
            }
        default:
            problems.error(
                path, "'on' is an object by event, or a list of transitions with 'event'")
        }
    }

    private mutating func readTransitions(
        _ json: JSONValue, _ names: [(text: String, path: JSONPath)], of state: Int32,
        _ path: JSONPath, also words: Set<String> = []
    ) {
        for name in names {
            if let fault = DescriptorTable.fault(inDescriptor: name.text) {
                problems.error(name.path, fault)
            }
        }
        let outer = environment
        if names.count == 1, let name = names.first { environment = typed(name.text) }
        let found = transitions(json, of: state, path, also: words)
        environment = outer
        eventSchema = nil
        add(found, names.map(\.text), to: state)
    }

    /// The environment of a transition whose event is declared: its members have types.
    private mutating func typed(_ event: String) -> CELEnvironment {
        guard let json = draft.events[event]?.object else { return environment }
        let schema = EventSchema(json)
        eventSchema = schema
        if let found = typedEnvironments[event] { return found }
        let typed = environment(event: schema.eventType())
        typedEnvironments[event] = typed
        return typed
    }

    /// Reads `onDone` or `onError`, which is short for transitions with a platform event.
    mutating func readShortcut(
        _ json: JSONValue, _ event: String, of state: Int32, _ path: JSONPath
    ) {
        add(transitions(json, of: state, path), [event], to: state)
    }

    private mutating func add(_ found: [Int32], _ names: [String], to state: Int32) {
        let descriptors = names.map { draft.descriptors.intern($0) }
        for transition in found {
            draft.transitions[Int(transition)].descriptors = names
            for descriptor in descriptors {
                draft.states[Int(state)].on.append(descriptor, transition)
            }
        }
    }

    // MARK: Timers

    /// Reads `after`: an object by delay, or a list of transitions with `delay`.
    mutating func readTimers(_ json: JSONValue, of state: Int32, _ path: JSONPath) {
        switch json {
        case .object(let object):
            for member in object {
                let place = path.member(member.name)
                let delay = delay(named: member.name, place)
                addTimer(delay, transitions(member.value, of: state, place), to: state, place)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let place = path.element(index)
                guard let json = element["delay"] else {
                    problems.error(place, "an element of 'after' is an object with 'delay'")
                    continue
                }
                guard let delay = delay(json, place.member("delay")) else { continue }
                addTimer(
                    delay, transitions(element, of: state, place, also: ["delay"]), to: state,
                    place)
            }
        default:
            problems.error(path, "'after' is an object by delay, or a list with 'delay'")
        }
    }

    /// Reads the name of a timer: a delay, or an expression that gives one.
    private mutating func delay(named text: String, _ path: JSONPath) -> Literal {
        let mayBeDelay = text.first.map { $0.isNumber || $0 == "P" } ?? true
        let isDelay = ChartDelay.milliseconds(text) != nil
        guard !isDelay, !mayBeDelay || isExpression(text) else {
            if !isDelay { fault(path, Self.noDelay + ", or an expression") }
            return .constant(.string(text))
        }
        return .computed(expression(text, path))
    }

    private mutating func addTimer(
        _ delay: Literal, _ transitions: [Int32], to state: Int32, _ path: JSONPath
    ) {
        draft.states[Int(state)].timers.append(
            StateNode.Timer(delay: delay, path: path.text, transitions: transitions))
    }

    // MARK: Transitions

    /// Reads a transition or a list of them.
    ///
    /// - Parameter words: Further words that are read elsewhere.
    /// - Returns: Their numbers in document order.
    mutating func transitions(
        _ json: JSONValue, of state: Int32, _ path: JSONPath, also words: Set<String> = []
    ) -> [Int32] {
        guard let list = json.array else {
            return transition(json, of: state, path, also: words).map { [$0] } ?? []
        }
        return list.enumerated().compactMap { index, element in
            transition(element, of: state, path.element(index), also: words)
        }
    }

    private mutating func transition(
        _ json: JSONValue, of state: Int32, _ path: JSONPath, also words: Set<String>
    ) -> Int32? {
        guard draft.transitions.count < ChartLimits.transitionsMax else {
            problems.error(
                path, "a definition may have \(ChartLimits.transitionsMax) transitions")
            return nil
        }
        let index = draft.transitions.count
        draft.transitions.append(Transition(source: state, path: path.text))
        switch json {
        case .string: readTargets(json, .transition(index), path)
        case .object(let object): readTransition(object, index, path, also: words)
        default:
            problems.error(
                path, "a transition is a target, or an object such as {\"target\":\"paid\"}")
        }
        return Int32(index)
    }

    private mutating func readTransition(
        _ object: JSONObject, _ index: Int, _ path: JSONPath, also words: Set<String>
    ) {
        for member in object {
            let place = path.member(member.name)
            switch member.name {
            case "target": readTargets(member.value, .transition(index), place)
            case "guard": draft.transitions[index].condition = condition(member.value, place)
            case "reenter": draft.transitions[index].reenters = flag(member.value, place)
            case "actions": draft.transitions[index].actions += actions(member.value, place)
            case "description": checkText(member.value, place)
            case let name where Self.actionWords.contains(name):
                if let action = action(name, member.value, place) {
                    draft.transitions[index].actions.append(action)
                }
            case let name where words.contains(name): break
            case let name:
                unknown(
                    name, among: Self.transitionWords.union(Self.actionWords).union(words), path)
            }
        }
    }

    /// Reads a target or a list of them; they are found when all states are known.
    mutating func readTargets(
        _ json: JSONValue, _ holder: PendingTarget.Holder, _ path: JSONPath
    ) {
        let message =
            "a target is a sibling such as \"b\", a child such as \".b\", or \"#b\" for the state "
            + "with this id; or a list of them"
        for target in texts(json, path, message) {
            pending.append(PendingTarget(holder: holder, text: target.text, path: target.path))
        }
    }
}
