import OrderedJSON

extension ChartReader {
    static let stateWords: Set<String> = [
        "type", "id", "history", "target", "actions", "initial", "states", "on", "always", "after",
        "onDone", "entry", "exit", "invoke", "defer", "output", "tags", "description",
    ]
    private static let finalWords: Set<String> = [
        "type", "id", "entry", "exit", "output", "tags", "description",
    ]
    private static let historyWords: Set<String> = [
        "type", "id", "history", "target", "actions", "description",
    ]
    static let initialWords: Set<String> = ["target", "actions"]
    private static let types = ["atomic", "compound", "parallel", "final", "history"]

    /// Reads a state with its descendants.
    ///
    /// - Returns: Its number, or nil if there are too many states.
    mutating func readState(
        _ object: JSONObject, key: String, parent: Int32, level: Int, _ path: JSONPath
    ) -> Int32? {
        guard draft.states.count < ChartLimits.statesMax else {
            problems.error(path, "a definition may have \(ChartLimits.statesMax) states")
            return nil
        }
        let index = draft.states.count
        draft.states.append(
            StateNode(
                key: key, id: key, kind: kind(object, isMachine: parent < 0, path),
                parent: parent, last: Int32(index), path: path.text))
        if parent >= 0 { readIdentifier(object["id"], index, path) }
        checkWords(object, index, path)
        for member in object { readMember(member, of: index, level, path.member(member.name)) }
        draft.states[index].last = Int32(draft.states.count - 1)
        readDefaultEntry(object, index, path)
        return Int32(index)
    }

    private mutating func kind(
        _ object: JSONObject, isMachine: Bool, _ path: JSONPath
    ) -> StateNode.Kind {
        let hasChildren = object["states"]?.object?.isEmpty == false
        if isMachine, object["states"].map({ $0.object?.isEmpty == true }) ?? true {
            problems.error(path, "a definition has 'states', an object: a state by name")
        }
        guard let json = object["type"] else { return hasChildren ? .compound : .atomic }
        let place = path.member("type")
        switch json.string {
        case "parallel" where hasChildren: return .parallel
        case "compound" where hasChildren: return .compound
        case "compound", "parallel":
            problems.error(place, "a state of this type has 'states'")
        case "atomic" where hasChildren:
            problems.error(place, "a state with 'states' is compound or parallel")
            return .compound
        case "atomic" where !isMachine: break
        case "final" where !isMachine: return .final
        case "history" where !isMachine:
            return isDeep(object["history"], path.member("history"))
                ? .deepHistory : .shallowHistory
        default:
            let hint = self.hint(json.string ?? "", among: Self.types)
            problems.error(
                place,
                isMachine
                    ? "a machine is \"compound\" or \"parallel\""
                    : "'type' is one of \(Self.types.joined(separator: ", "))\(hint)")
        }
        return hasChildren ? .compound : .atomic
    }

    private mutating func isDeep(_ json: JSONValue?, _ path: JSONPath) -> Bool {
        switch json?.string {
        case "deep": return true
        case "shallow": return false
        default:
            if json != nil { problems.error(path, "'history' is \"shallow\" or \"deep\"") }
            return false
        }
    }

    /// Registers the state under its id, which is its name unless it has another one.
    private mutating func readIdentifier(_ json: JSONValue?, _ index: Int, _ path: JSONPath) {
        if let json {
            if let text = json.string, !text.isEmpty,
                text.utf8.count <= ChartLimits.nameBytesMax
            {
                draft.states[index].id = text
            } else {
                problems.error(path.member("id"), "an id is a text")
            }
        }
        let id = draft.states[index].id
        if let other = draft.identifiers[id] {
            problems.error(
                json == nil ? path : path.member("id"),
                "the id '\(id)' is that of \(draft.states[Int(other)].path) too: "
                    + "give one of them an \"id\"")
        } else {
            draft.identifiers[id] = Int32(index)
        }
    }

    private mutating func checkWords(_ object: JSONObject, _ index: Int, _ path: JSONPath) {
        let state = draft.states[index]
        let words: Set<String>
        switch state.kind {
        case _ where state.parent < 0: words = Self.machineWords
        case .final: words = Self.finalWords
        case .shallowHistory, .deepHistory: words = Self.historyWords
        default: words = Self.stateWords.subtracting(["history", "target", "actions", "output"])
        }
        for member in object where !words.contains(member.name) {
            if Self.stateWords.contains(member.name) {
                let noun = state.isHistory ? "history" : "\(state.kind)"
                problems.error(
                    path.member(member.name),
                    "'\(member.name)' has no meaning in a state of the type \(noun)")
            } else {
                unknown(member.name, among: words, path)
            }
        }
        if state.kind == .atomic, state.parent >= 0 {
            for name in ["initial", "onDone"] where object[name] != nil {
                let isInvocation = name == "onDone" && object["invoke"] != nil
                problems.error(
                    path.member(name),
                    "'\(name)' needs 'states'"
                        + (isInvocation ? "; that of an invocation stands within 'invoke'" : ""))
            }
        }
    }

    /// Reads a member of a state in document order, so that transitions have that order.
    private mutating func readMember(
        _ member: JSONObject.Member, of index: Int, _ level: Int, _ path: JSONPath
    ) {
        let state = Int32(index)
        switch member.name {
        case "states": readChildren(member.value, of: state, level, path)
        case "on": readEvents(member.value, of: state, path)
        case "always":
            draft.states[index].always += transitions(member.value, of: state, path)
        case "after": readTimers(member.value, of: state, path)
        case "onDone" where state > 0:
            readShortcut(member.value, "done.state.\(draft.states[index].id)", of: state, path)
        case "onDone":
            problems.error(path, "a machine that is done has no transitions: remove 'onDone'")
        case "entry": draft.states[index].entry = blocks(member.value, path)
        case "exit": draft.states[index].exit = blocks(member.value, path)
        case "invoke": readInvocations(member.value, of: state, path)
        case "defer": readDeferred(member.value, of: state, path)
        case "output" where draft.states[index].kind == .final:
            draft.states[index].output = template(member.value, path)
        case "tags":
            guard let tags = member.value.array?.compactMap(\.string),
                tags.count == member.value.array?.count
            else {
                problems.error(path, "'tags' is a list of texts")
                return
            }
            draft.states[index].tags = tags
        case "description", "$schema": checkText(member.value, path)
        default: break
        }
    }

    private mutating func readChildren(
        _ json: JSONValue, of parent: Int32, _ level: Int, _ path: JSONPath
    ) {
        guard let states = json.object else {
            problems.error(path, "'states' is an object: a state by name")
            return
        }
        guard level < ChartLimits.stateLevelsMax else {
            problems.error(path, "states may be nested \(ChartLimits.stateLevelsMax) deep")
            return
        }
        var names: Set<String> = []
        for member in states {
            let place = path.member(member.name)
            if let fault = Self.fault(inKey: member.name) { problems.error(place, fault) }
            // Equal texts may be written with other code points.
            if !names.insert(member.name).inserted {
                problems.error(place, "another state beside it has the same name")
            }
            guard let object = member.value.object else {
                problems.error(place, "a state is an object, such as {}")
                continue
            }
            guard
                let child = readState(
                    object, key: member.name, parent: parent, level: level + 1, place)
            else { return }
            let isHistory = draft.states[Int(child)].isHistory
            let isFinal = draft.states[Int(child)].kind == .final
            if isHistory {
                draft.states[Int(parent)].histories.append(child)
            } else {
                draft.states[Int(parent)].children.append(child)
            }
            if isFinal, draft.states[Int(parent)].kind == .parallel {
                problems.error(
                    place,
                    "a region of a parallel state can't be final: put the final state into it")
            }
        }
        if draft.states[Int(parent)].children.isEmpty, !states.isEmpty {
            problems.error(path, "these are history states only: add a state that can be active")
        }
    }

    private static func fault(inKey key: String) -> String? {
        if key.isEmpty { return "a state's name isn't empty" }
        if key.unicodeScalars.contains(".") {
            return "a state's name has no '.': it separates names of a path"
        }
        if key.unicodeScalars.first == "#" { return "a state's name doesn't begin with '#'" }
        if key.utf8.count > ChartLimits.nameBytesMax {
            return "a state's name may have \(ChartLimits.nameBytesMax) bytes"
        }
        return nil
    }

    /// Reads `initial`, or `target` and `actions` of a history state.
    private mutating func readDefaultEntry(_ object: JSONObject, _ index: Int, _ path: JSONPath) {
        let state = draft.states[index]
        if state.isHistory {
            if let json = object["target"] {
                readTargets(json, .initial(index), path.member("target"))
            }
            if let json = object["actions"] {
                draft.states[index].initial.actions = actions(json, path.member("actions"))
            }
            return
        }
        guard state.kind == .compound || state.kind == .parallel else { return }
        guard let json = object["initial"] else {
            if state.kind == .compound { readMissingInitial(index, path) }
            return
        }
        let place = path.member("initial")
        guard let detail = json.object else {
            readTargets(json, .initial(index), place)
            return
        }
        for member in detail {
            let memberPlace = place.member(member.name)
            switch member.name {
            case "target": readTargets(member.value, .initial(index), memberPlace)
            case "actions":
                draft.states[index].initial.actions = actions(member.value, memberPlace)
            default: unknown(member.name, among: Self.initialWords, place)
            }
        }
        if detail["target"] == nil { problems.error(place, "'initial' has a 'target'") }
    }

    /// SCXML 3.6: without `initial`, the first child is the default. Here that is allowed only
    /// where faults are events.
    private mutating func readMissingInitial(_ index: Int, _ path: JSONPath) {
        guard let first = draft.states[index].children.first else { return }
        let name = draft.states[Int(first)].key
        fault(path, "'initial' is missing: name a child, such as \"initial\":\"\(name)\"")
        draft.states[index].initial.targets = [first]
    }

    private mutating func readDeferred(_ json: JSONValue, of state: Int32, _ path: JSONPath) {
        for (name, place) in texts(json, path, "'defer' is an event descriptor or a list of them") {
            if let fault = DescriptorTable.fault(inDescriptor: name) {
                problems.error(place, fault)
            } else {
                draft.states[Int(state)].deferred.append(draft.descriptors.intern(name))
            }
        }
    }

    /// Reads a text or a list of texts.
    mutating func texts(
        _ json: JSONValue, _ path: JSONPath, _ message: String
    ) -> [(text: String, path: JSONPath)] {
        if let text = json.string { return [(text, path)] }
        guard let list = json.array else {
            problems.error(path, message)
            return []
        }
        var result: [(text: String, path: JSONPath)] = []
        for (index, element) in list.enumerated() {
            if let text = element.string {
                result.append((text, path.element(index)))
            } else {
                problems.error(path.element(index), message)
            }
        }
        return result
    }
}
