import OrderedJSON

extension SCXMLImporter {
    private static let stateChildren: Set<String> = [
        "onentry", "onexit", "transition", "initial", "state", "parallel", "final", "history",
        "datamodel", "invoke",
    ]

    /// Returns the states inside an element, by name.
    mutating func states(in element: XMLElement) -> JSONObject {
        var result = JSONObject()
        for child in element.elements
        where isOurs(child) && SCXMLDocument.stateNames.contains(child.name) {
            guard let state = document.states[child.offset] else { continue }
            switch child.name {
            case "history": result[state.name] = .object(history(child))
            case "final": result[state.name] = .object(final(child))
            default: result[state.name] = .object(self.state(child, state.name))
            }
        }
        return result
    }

    private mutating func state(_ element: XMLElement, _ name: String) -> JSONObject {
        let isParallel = element.name == "parallel"
        checkAttributes(element, isParallel ? ["id"] : ["id", "initial"])
        checkChildren(
            element,
            isParallel
                ? Self.stateChildren.subtracting(["initial", "final"])
                : Self.stateChildren)
        let children = element.elements.filter(isOurs)
        let hasStates = children.contains { SCXMLDocument.stateNames.contains($0.name) }
        var state = JSONObject()
        if isParallel, hasStates { state["type"] = "parallel" }
        if !isParallel, hasStates { state["initial"] = initial(of: element, children) }
        if !hasStates,
            element["initial"] != nil || children.contains(where: { $0.name == "initial" })
        {
            problems.error(element.offset, "a state without states has no initial one")
        }
        let late = lateData(element, name)
        state["entry"] = blocks(children.filter { $0.name == "onentry" }, first: late)
        state["exit"] = blocks(children.filter { $0.name == "onexit" }, first: nil)
        addTransitions(of: element, children.filter { $0.name == "transition" }, to: &state)
        let invocations = children.filter { $0.name == "invoke" }.compactMap { invoke($0) }
        if invocations.count == 1 { state["invoke"] = invocations[0] }
        if invocations.count > 1 { state["invoke"] = .array(invocations) }
        if hasStates { state["states"] = .object(states(in: element)) }
        return state
    }

    private mutating func final(_ element: XMLElement) -> JSONObject {
        checkAttributes(element, ["id"])
        checkChildren(element, ["onentry", "onexit", "donedata"])
        let children = element.elements.filter(isOurs)
        var state: JSONObject = ["type": "final"]
        state["entry"] = blocks(children.filter { $0.name == "onentry" }, first: nil)
        state["exit"] = blocks(children.filter { $0.name == "onexit" }, first: nil)
        let data = children.filter { $0.name == "donedata" }
        if data.count > 1 { problems.error(data[1].offset, "there is another <donedata>") }
        if let data = data.first {
            checkAttributes(data, [])
            state["output"] = payload(data)
        }
        return state
    }

    private mutating func history(_ element: XMLElement) -> JSONObject {
        checkAttributes(element, ["id", "type"])
        checkChildren(element, ["transition"])
        var state: JSONObject = ["type": "history"]
        switch element["type"] {
        case nil, "shallow": break
        case "deep": state["history"] = "deep"
        default: problems.error(element.offset, "'type' is shallow or deep")
        }
        let transitions = element.elements.filter { $0.name == "transition" && isOurs($0) }
        guard let transition = transitions.first else { return state }
        if transitions.count > 1 {
            problems.error(transitions[1].offset, "there is another default transition")
        }
        let parent = document.states[element.offset]?.parent ?? element.offset
        for member in defaultEntry(transition, siblingsOf: parent) {
            state[member.name] = member.value
        }
        return state
    }

    // MARK: Initial states

    /// Returns `initial` of a state with states, or of the machine.
    mutating func initial(of element: XMLElement, _ children: [XMLElement]) -> JSONValue? {
        let elements = children.filter { $0.name == "initial" && isOurs($0) }
        if let attribute = element.attribute("initial") {
            if let other = elements.first {
                problems.error(other.offset, "there is an attribute 'initial' too")
            }
            return targets(attribute, siblingsOf: element.offset)
        }
        guard let initial = elements.first else {
            // SCXML 3.3: without one, the first child in document order.
            let first = children.first {
                SCXMLDocument.stateNames.contains($0.name) && $0.name != "history"
            }
            return first.flatMap { document.states[$0.offset] }.map { .string($0.name) }
        }
        if elements.count > 1 { problems.error(elements[1].offset, "there is another <initial>") }
        checkAttributes(initial, [])
        checkChildren(initial, ["transition"])
        let transitions = initial.elements.filter { $0.name == "transition" }
        guard transitions.count == 1, let transition = transitions.first else {
            problems.error(initial.offset, "<initial> has one transition")
            return nil
        }
        let entry = defaultEntry(transition, siblingsOf: element.offset)
        return entry["actions"] == nil ? entry["target"] : .object(entry)
    }

    /// Returns `target` and `actions` of a transition without event and condition.
    private mutating func defaultEntry(
        _ transition: XMLElement, siblingsOf parent: Int
    ) -> JSONObject {
        checkAttributes(transition, ["target", "type"])
        var result = JSONObject()
        if let attribute = transition.attribute("target") {
            result["target"] = targets(attribute, siblingsOf: parent)
        } else {
            problems.error(transition.offset, "this transition needs a target")
        }
        let actions = self.actions(in: transition)
        if !actions.isEmpty { result["actions"] = .array(actions) }
        return result
    }

    /// Returns targets: names of siblings, `#name` for states elsewhere; a list of several.
    ///
    /// - Parameter parent: The offset of the element whose children need no `#`.
    private mutating func targets(
        _ attribute: XMLElement.Attribute, siblingsOf parent: Int
    ) -> JSONValue? {
        var names: [JSONValue] = []
        for id in attribute.value.string.split(whereSeparator: \.isWhitespace) {
            guard let offset = document.offsets[String(id)], let state = document.states[offset]
            else {
                problems.error(attribute.offset, "there is no state '\(id)'")
                continue
            }
            names.append(.string(state.parent == parent ? state.name : "#\(state.name)"))
        }
        if names.isEmpty {
            problems.error(attribute.offset, "'\(attribute.name)' names no state")
            return nil
        }
        return names.count == 1 ? names[0] : .array(names)
    }

    // MARK: Transitions

    /// Adds `on` and `always` of a state or of the machine.
    mutating func addTransitions(
        of element: XMLElement, _ transitions: [XMLElement], to state: inout JSONObject
    ) {
        var events: [(names: [String], transition: JSONValue)] = []
        var always: [JSONValue] = []
        for transition in transitions {
            checkAttributes(transition, ["event", "cond", "target", "type"])
            guard let attribute = transition.attribute("event") else {
                always.append(self.transition(transition, of: element))
                continue
            }
            let names = descriptors(attribute)
            scope.eventData = place(of: dataSources(names))
            events.append((names, self.transition(transition, of: element)))
            scope.eventData = defaultData
        }
        if !events.isEmpty { state["on"] = Self.on(events) }
        if !always.isEmpty { state["always"] = always.count == 1 ? always[0] : .array(always) }
    }

    /// Returns `on`: an object, if it says the same order as the document.
    private static func on(_ events: [(names: [String], transition: JSONValue)]) -> JSONValue {
        var object = JSONObject()
        var last: String?
        var fits = true
        for (names, transition) in events {
            guard names.count == 1, let name = names.first, last == name || object[name] == nil
            else {
                fits = false
                break
            }
            last = name
            switch object[name] {
            case nil: object[name] = transition
            case .array(let list)?: object[name] = .array(list + [transition])
            case let one?: object[name] = .array([one, transition])
            }
        }
        if fits { return .object(object) }
        return .array(
            events.map { names, transition in
                var element: JSONObject = [
                    "event": names.count == 1
                        ? .string(names[0]) : .array(names.map { .string($0) })
                ]
                if case .string = transition { element["target"] = transition }
                for member in transition.object ?? JSONObject() {
                    element[member.name] = member.value
                }
                return .object(element)
            })
    }

    /// Returns event descriptors: `foo` of SCXML takes `foo` and everything below it.
    private mutating func descriptors(_ attribute: XMLElement.Attribute) -> [String] {
        var names: [String] = []
        func add(_ name: String) { if !names.contains(name) { names.append(name) } }
        for part in attribute.value.string.split(whereSeparator: \.isWhitespace) {
            var event = String(part)
            if event.hasSuffix(".*") { event.removeLast(2) }
            while event.hasSuffix(".") { event.removeLast() }
            // Every name begins with no token.
            if event == "*" || event.isEmpty {
                add("*")
                continue
            }
            if event.contains("*") {
                problems.error(
                    attribute.offset, "'\(part)': '*' stands alone, or at the end after a '.'")
                continue
            }
            let prefix = "done.state."
            guard event.hasPrefix(prefix) else {
                add("\(event).*")
                continue
            }
            // States with a '.' in their ids have new names.
            let id = String(event.dropFirst(prefix.count))
            if let name = document.names[id] { add(prefix + name) } else { add("\(event).*") }
            for other in document.below[id] ?? [] {
                add(prefix + (document.names[other] ?? other))
            }
        }
        if names.isEmpty {
            problems.error(attribute.offset, "'event' names no event")
            names = ["*"]
        }
        return names
    }

    /// Returns a transition: its target alone, if it has nothing else.
    private mutating func transition(_ transition: XMLElement, of source: XMLElement) -> JSONValue {
        var result = JSONObject()
        if let attribute = transition.attribute("cond") {
            result["guard"] = .string(condition(attribute))
        }
        if let attribute = transition.attribute("target") {
            let parent = document.states[source.offset]?.parent ?? source.offset
            result["target"] = targets(attribute, siblingsOf: parent)
            let isInternal = transition["type"] == "internal"
            if !isInternal, leavesSource(attribute, source.offset) { result["reenter"] = true }
        } else if transition.attribute("event") == nil, transition.attribute("cond") == nil {
            problems.warning(transition.offset, "this transition is taken for ever")
        }
        switch transition["type"] {
        case nil, "internal", "external": break
        default: problems.error(transition.offset, "'type' is internal or external")
        }
        let actions = self.actions(in: transition)
        if !actions.isEmpty { result["actions"] = .array(actions) }
        if result.count == 1, let target = result["target"], target.string != nil { return target }
        return .object(result)
    }

    /// Whether `reenter` makes a difference: without it, a compound state stays if all targets lie
    /// inside it. SCXML's default is to leave it.
    private func leavesSource(_ targets: XMLElement.Attribute, _ source: Int) -> Bool {
        guard document.states[source]?.isCompound == true else { return false }
        return targets.value.string.split(whereSeparator: \.isWhitespace).allSatisfy { id in
            document.offsets[String(id)].map { document.isDescendant($0, of: source) } ?? false
        }
    }
}
