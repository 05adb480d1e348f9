import OrderedJSON

extension XStateImporter {
    // MARK: Events

    /// Returns `on`. XState tries exact names first, then longer prefixes, and `*` last; here the
    /// first one wins.
    mutating func on(_ json: JSONValue, _ index: Int, _ path: Path) -> JSONValue? {
        guard let object = json.object else {
            error(path, "'on' is an object: transitions by event")
            return nil
        }
        func weight(_ name: String) -> Int {
            if name == "*" { return .max }
            return name.hasSuffix(".*") ? Int(Int32.max) - name.utf8.count : 0
        }
        let sorted = object.members.enumerated().sorted {
            (weight($0.element.name), $0.offset) < (weight($1.element.name), $1.offset)
        }
        var result = JSONObject()
        for (_, member) in sorted {
            let place = path + [.member(member.name)]
            guard let event = event(member.name, place) else { continue }
            result[event] = transitions(member.value, index, place)
            warnOfPatterns(object, besides: member, place)
        }
        return result.isEmpty ? nil : .object(result)
    }

    /// XState doesn't try the patterns of a state for an event that is named there, also if no
    /// guard is true.
    private mutating func warnOfPatterns(
        _ object: JSONObject, besides member: JSONObject.Member, _ path: Path
    ) {
        guard !member.name.hasSuffix("*"), Self.isGuarded(member.value) else { return }
        for other in object where Self.matches(other.name, member.name) {
            warning(
                path,
                "if no guard of '\(member.name)' is true, '\(other.name)' is tried here, and "
                    + "not in XState")
            return
        }
    }

    /// Whether each transition of a list has a guard.
    private static func isGuarded(_ json: JSONValue) -> Bool {
        let list = json.array ?? [json]
        return !list.isEmpty && list.allSatisfy { !($0.object?["guard"] ?? .null).isNull }
    }

    private static func matches(_ pattern: String, _ event: String) -> Bool {
        if pattern == "*" { return true }
        guard pattern.hasSuffix(".*") else { return false }
        return event == pattern.dropLast(2) || event.hasPrefix(pattern.dropLast())
    }

    /// The name of an event here; nil for one that has none.
    private mutating func event(_ name: String, _ path: Path) -> String? {
        func rest(_ prefix: String) -> String? {
            name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
        }
        if let id = rest("xstate.done.state."), let state = tree.state(id: id) {
            return "done.state.\(tree.nodes[state].name)"
        }
        if let id = rest("xstate.done.actor.") { return "done.invoke.\(id)" }
        if let id = rest("xstate.error.actor.") { return "error.invoke.\(id)" }
        if name.hasPrefix("xstate.") {
            error(path, "the event '\(name)' of XState has no counterpart")
            return nil
        }
        let plain = name.hasSuffix(".*") ? name.dropLast(2) : name[...]
        guard name == "*" || !plain.isEmpty && !plain.contains("*") else {
            error(path, "'\(name)' is no event: '*' stands alone, or at the end after a '.'")
            return nil
        }
        return name
    }

    /// Returns `after`: transitions by milliseconds.
    mutating func after(_ json: JSONValue, _ index: Int, _ path: Path) -> JSONValue? {
        guard let object = json.object else {
            error(path, "'after' is an object: transitions by delay")
            return nil
        }
        var result = JSONObject()
        for member in object {
            let place = path + [.member(member.name)]
            guard !member.name.isEmpty, member.name.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
                error(place, "the delay '\(member.name)' is code: write it in milliseconds")
                continue
            }
            result["\(member.name)ms"] = transitions(member.value, index, place)
        }
        return result.isEmpty ? nil : .object(result)
    }

    // MARK: Transitions

    /// Returns a transition or a list of them.
    mutating func transitions(_ json: JSONValue, _ index: Int, _ path: Path) -> JSONValue? {
        guard let list = json.array else { return transition(json, index, path) }
        let found = list.enumerated().compactMap { number, element in
            transition(element, index, path + [.element(number)])
        }
        return found.count == 1 ? found[0] : .array(found)
    }

    private mutating func transition(
        _ json: JSONValue, _ index: Int, _ path: Path
    ) -> JSONValue? {
        let object: JSONObject
        switch json {
        case .string: object = ["target": json]
        case .null: object = [:]
        case .object(let given): object = given
        default:
            error(path, "a transition is a target or an object")
            return nil
        }
        var result = JSONObject()
        for member in object {
            let place = path + [.member(member.name)]
            switch member.name {
            case "guard": result["guard"] = guarded(member.value, place)
            case "target": break
            case "reenter":
                if !member.value.isNull, member.value.bool == nil {
                    error(place, "'reenter' is true or false")
                }
            case "actions": result["actions"] = actionList(member.value, place)
            case "description": result["description"] = member.value
            case "eventType", "source", "delay": break
            case "meta": warning(place, "'meta' isn't imported")
            case "cond", "in", "internal": error(place, "'\(member.name)' is of XState 4")
            default: error(place, "'\(member.name)' is unknown in a transition")
            }
        }
        // A definition that XState printed has null and lists without elements.
        if let target = object["target"], !target.isNull, target.array?.isEmpty != true {
            let place = object.count == 1 && json.string != nil ? path : path + [.member("target")]
            addTarget(target, reenters: object["reenter"]?.bool == true, index, &result, place)
        }
        if result.count == 1, let target = result["target"], target.string != nil { return target }
        return .object(result)
    }

    /// Adds `target`. In XState a transition to the source itself, or to a state inside it, leaves
    /// only states inside, unless it reenters.
    private mutating func addTarget(
        _ json: JSONValue, reenters: Bool, _ index: Int, _ result: inout JSONObject, _ path: Path
    ) {
        let parent = tree.nodes[index].parent ?? index
        guard let written = targets(json, index, among: parent, path) else { return }
        let texts = json.array?.compactMap(\.string) ?? [json.string ?? ""]
        let found = texts.compactMap { tree.target($0, from: index) }
        let isInside = found.allSatisfy { tree.isDescendant($0, of: index) }
        let node = tree.nodes[index]
        if reenters {
            result["target"] = written
            if isInside { result["reenter"] = true }
            warnOfParallel(index, found, path)
        } else if found == [index] {
            stay(index, &result, path)
        } else {
            if node.isParallel, isInside {
                error(
                    path,
                    "here this transition would leave and enter the parallel state '\(node.key)', "
                        + "which stays active in XState: name the target in its region")
            }
            result["target"] = written
            if !isInside { warnOfParallel(index, found, path) }
        }
    }

    /// Warns of a transition between regions. In XState the innermost state around source and
    /// targets stays, also a parallel one; here only one that isn't parallel does.
    private mutating func warnOfParallel(_ source: Int, _ targets: [Int], _ path: Path) {
        guard let first = targets.first else { return }
        var around = tree.nodes[first].parent
        while let state = around,
            !(targets.dropFirst() + [source]).allSatisfy({ tree.isDescendant($0, of: state) })
        {
            around = tree.nodes[state].parent
        }
        guard let state = around, state > 0, tree.nodes[state].isParallel else { return }
        var left = state
        while let parent = tree.nodes[left].parent, parent > 0, tree.nodes[parent].isParallel {
            left = parent
        }
        warning(
            path,
            "here this transition leaves and enters the parallel state '\(tree.nodes[left].key)' "
                + "with all its regions; in XState '\(tree.nodes[state].key)' stays active")
    }

    /// A transition to the source itself without `reenter`: the source isn't left, but its state
    /// inside is the default one again.
    private mutating func stay(_ index: Int, _ result: inout JSONObject, _ path: Path) {
        let node = tree.nodes[index]
        if node.children.isEmpty { return }
        guard !node.isParallel, let initial = node.initial,
            let child = tree.target(initial, from: index), tree.isDescendant(child, of: index)
        else {
            error(
                path,
                "'\(node.key)' would be left here, but not in XState: name a state inside it")
            return
        }
        let parent = tree.nodes[index].parent ?? index
        result["target"] = .string(tree.text(of: child, among: parent))
    }

    /// Returns a target or a list of them.
    ///
    /// - Parameter parent: The state whose children need no `#`.
    mutating func targets(
        _ json: JSONValue, _ index: Int, among parent: Int?, _ path: Path
    ) -> JSONValue? {
        var names: [JSONValue] = []
        for element in json.array ?? [json] {
            guard let text = element.string else {
                error(path, "a target is a text")
                continue
            }
            guard let found = tree.target(text, from: index) else {
                error(path, "there is no state '\(text)'")
                continue
            }
            guard found > 0 else {
                error(path, "the machine itself can't be a target")
                continue
            }
            names.append(.string(tree.text(of: found, among: parent)))
        }
        if names.isEmpty { return nil }
        return names.count == 1 ? names[0] : .array(names)
    }

    // MARK: Code

    /// Returns the name of a guard, which fails until it is written.
    private mutating func guarded(_ json: JSONValue, _ path: Path) -> JSONValue? {
        guard let name = json.string ?? json["type"]?.string else {
            error(path, "a guard of XState is a name here")
            return nil
        }
        if name.hasPrefix("xstate.") {
            error(path, "JSON has lost the parts of the guard '\(name)'")
            return nil
        }
        if let params = json["params"], !params.isNull {
            warning(path + [.member("params")], "parameters of guards aren't imported")
        }
        if guards[name] == nil {
            guards[name] = .string(SCXMLImporter.failingCondition)
            warning(
                path,
                "the guard '\(name)' is code: write it in 'guards'; until then it fails")
        }
        return .string(name)
    }

    /// Returns actions as a list; nil for none.
    mutating func actionList(_ json: JSONValue, _ path: Path) -> JSONValue? {
        if json.isNull { return nil }
        guard let list = json.array else { return action(json, path).map { [$0] } }
        let found = list.enumerated().compactMap { number, element in
            action(element, path + [.element(number)])
        }
        return found.isEmpty ? nil : .array(found)
    }

    /// Returns an action. What is code becomes a log that fails until it is replaced.
    private mutating func action(_ json: JSONValue, _ path: Path) -> JSONValue? {
        guard let name = json.string ?? json["type"]?.string else {
            error(path, "an action of XState is a name, or an object with 'type'")
            return nil
        }
        if name == "xstate.raise", let event = json["event"], event["type"]?.string != nil {
            return raise(event, json, path)
        }
        var value: JSONObject = ["unwritten": .string(SCXMLImporter.failing)]
        for member in json.object ?? JSONObject() where member.name != "type" {
            value[member.name] = template(member.value)
        }
        warning(
            path,
            "the action '\(name)' is code: write it here; until then the event that needs it fails"
                + (json["params"].map { !$0.isNull } ?? false
                    ? " (its parameters are in the log)" : ""))
        return ["log": ["label": .string("action \(name)"), "value": .object(value)]]
    }

    /// Returns `raise`, or for a delay the send of an event to the machine itself.
    private mutating func raise(
        _ event: JSONValue, _ action: JSONValue, _ path: Path
    ) -> JSONValue? {
        var raised = JSONObject()
        for member in event.object ?? JSONObject() {
            raised[member.name] =
                member.name == "type" ? member.value : template(member.value)
        }
        let written: JSONValue = raised.count == 1 ? raised["type"] ?? "" : .object(raised)
        for member in action.object ?? JSONObject()
        where !["type", "event", "delay", "id"].contains(member.name) {
            error(
                path + [.member(member.name)], "'\(member.name)' of a raise has no counterpart")
        }
        guard let delay = action["delay"], !delay.isNull else {
            // An id is for cancelling, and what is raised at once can't be cancelled.
            return ["raise": written]
        }
        guard case .integer(let milliseconds) = delay, milliseconds >= 0 else {
            error(
                path + [.member("delay")],
                delay.string == nil
                    ? "a delay is whole milliseconds here"
                    : "the delay '\(delay.string ?? "")' is code: write it in milliseconds")
            return nil
        }
        var send: JSONObject = ["event": written, "delay": .string("\(milliseconds)ms")]
        if let id = action["id"], !id.isNull {
            if id.string == nil { error(path + [.member("id")], "an id is a text") }
            send["id"] = id
        }
        return ["send": .object(send)]
    }

    // MARK: Invocations

    /// Returns one invocation or a list of them.
    mutating func invocations(_ json: JSONValue, _ index: Int, _ path: Path) -> JSONValue? {
        guard let list = json.array else { return invocation(json, index, path) }
        let found = list.enumerated().compactMap { number, element in
            invocation(element, index, path + [.element(number)])
        }
        return found.isEmpty ? nil : .array(found)
    }

    private mutating func invocation(
        _ json: JSONValue, _ index: Int, _ path: Path
    ) -> JSONValue? {
        guard let object = json.object, let source = object["src"]?.string else {
            error(path, "JSON has only actors with a name: 'src' is missing, or no text")
            return nil
        }
        var result = JSONObject()
        for member in object {
            let place = path + [.member(member.name)]
            switch member.name {
            case "src": result["src"] = .string(source)
            case "id", "description": result[member.name] = member.value
            case "input": result["input"] = template(member.value)
            case "onDone", "onError":
                result[member.name] = transitions(member.value, index, place)
            case "type": break
            default: error(place, "'\(member.name)' of an actor has no counterpart")
            }
        }
        warning(
            path + [.member("src")],
            "the actor '\(source)' is code: the server needs a handler of this name")
        return .object(result)
    }
}
