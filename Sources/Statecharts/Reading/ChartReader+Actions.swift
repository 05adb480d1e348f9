import CEL
import OrderedJSON

extension ChartReader {
    static let actionWords: Set<String> = [
        "assign", "raise", "send", "cancel", "emit", "log", "choose", "foreach",
    ]

    static let sendWords: Set<String> = ["event", "to", "via", "delay", "id"]
    static let branchWords: Set<String> = ["guard", "actions"]
    static let loopWords: Set<String> = ["in", "item", "index", "actions"]

    /// Reads `entry` or `exit`: an action, a list of actions, or a list of lists. Each list is a
    /// block, which an error ends (SCXML 3.8 and 3.9).
    mutating func blocks(_ json: JSONValue, _ path: JSONPath) -> [[Action]] {
        guard let list = json.array, list.contains(where: { $0.array != nil }) else {
            let block = actions(json, path)
            return block.isEmpty ? [] : [block]
        }
        return list.enumerated().map { actions($0.element, path.element($0.offset)) }
    }

    /// Reads an action or a list of actions.
    mutating func actions(_ json: JSONValue, _ path: JSONPath) -> [Action] {
        guard let list = json.array else { return actionObject(json, path) }
        return list.enumerated().flatMap { actionObject($0.element, path.element($0.offset)) }
    }

    private mutating func actionObject(_ json: JSONValue, _ path: JSONPath) -> [Action] {
        guard let object = json.object else {
            problems.error(path, "an action is an object such as {\"raise\":\"again\"}")
            return []
        }
        guard object.count == 1, let word = object.members.first else {
            problems.error(
                path,
                object["type"] != nil
                    ? "an action is one word with its value, such as {\"log\":\"event.type\"}, "
                        + "without 'type'"
                    : "an action has one word: write a list of several actions")
            return []
        }
        guard Self.actionWords.contains(word.name) else {
            unknown(word.name, among: Self.actionWords, path)
            return []
        }
        return action(word.name, word.value, path.member(word.name)).map { [$0] } ?? []
    }

    /// Reads the action of one word.
    mutating func action(_ word: String, _ json: JSONValue, _ path: JSONPath) -> Action? {
        let kind: Action.Kind?
        isTold = word == "log" || word == "emit"
        defer { isTold = false }
        switch word {
        case "assign": kind = assignments(json, path)
        case "raise":
            let event = eventTemplate(json, path)
            if let type = event?.type.text { sent.insert(type) }
            kind = event.map { .raise($0) }
        case "emit": kind = eventTemplate(json, path, isOutput: true).map { .emit($0) }
        case "send": kind = send(json, path).map { .send($0) }
        case "cancel": kind = text(json, path, "the id of a send").map { .cancel($0) }
        case "log": kind = log(json, path)
        case "choose": kind = choice(json, path)
        default: kind = loop(json, path)
        }
        return kind.map { Action(kind: $0, path: path.text) }
    }

    private mutating func assignments(_ json: JSONValue, _ path: JSONPath) -> Action.Kind? {
        guard let object = json.object else {
            problems.error(path, "'assign' is an object: an expression by location")
            return nil
        }
        var result: [Action.Assignment] = []
        for member in object {
            let place = path.member(member.name)
            let assignment = Action.Assignment(
                location: location(member.name, place), value: template(member.value, place))
            contextTypes?.assign(assignment.value, at: assignment.location)
            result.append(assignment)
        }
        return .assign(result)
    }

    // MARK: send

    private mutating func send(_ json: JSONValue, _ path: JSONPath) -> Action.SendTemplate? {
        guard let object = json.object, let event = object["event"] else {
            problems.error(
                path,
                "'send' is an object with 'event', such as {\"event\":\"PING\",\"to\":\"parent\"}")
            return nil
        }
        guard let event = eventTemplate(event, path.member("event")) else { return nil }
        if let type = event.type.text { sent.insert(type) }
        var send = Action.SendTemplate(event: event)
        for member in object {
            let place = path.member(member.name)
            switch member.name {
            case "event": break
            case "to":
                send.target = text(member.value, place, "a recipient")
                checkRecipient(send.target?.text, isDelayed: object["delay"] != nil, place)
            case "via":
                send.via = text(member.value, place, "'via'")
                if let via = send.via?.text, via != "machine" {
                    fault(place, "'via' is \"machine\": there is no other way")
                }
            case "delay": send.delay = delay(member.value, place)
            case "id": send.id = identifier(member.value, place)
            default: unknown(member.name, among: Self.sendWords, path)
            }
        }
        return send
    }

    private mutating func checkRecipient(_ text: String?, isDelayed: Bool, _ path: JSONPath) {
        guard let text else { return }
        if text == "internal", isDelayed {
            fault(path, "an internal event has no delay: send it to \"self\"")
        }
        if Recipient(text) == nil {
            fault(
                path,
                "'\(text)' is no recipient: write self, internal, parent, child:ID or "
                    + "machine/instance")
        }
    }

    // MARK: log, choose, foreach

    private mutating func log(_ json: JSONValue, _ path: JSONPath) -> Action.Kind? {
        guard let object = json.object, object["value"] != nil || object["label"] != nil else {
            return .log(label: nil, value: template(json, path))
        }
        for member in object where member.name != "label" && member.name != "value" {
            unknown(member.name, among: ["label", "value"], path)
        }
        let label = object["label"].flatMap { text($0, path.member("label"), "a label") }
        let value = object["value"].map { template($0, path.member("value")) }
        return .log(label: label, value: value ?? .constant(.null))
    }

    private mutating func choice(_ json: JSONValue, _ path: JSONPath) -> Action.Kind? {
        guard let list = json.array else {
            problems.error(path, "'choose' is a list of objects with 'guard' and 'actions'")
            return nil
        }
        var branches: [Action.Branch] = []
        for (index, element) in list.enumerated() {
            let place = path.element(index)
            guard let object = element.object else {
                problems.error(place, "a branch is an object with 'guard' and 'actions'")
                continue
            }
            if let last = branches.last, last.condition == nil {
                problems.warning(place, "the branch before has no guard: this one is never taken")
            }
            for member in object where !Self.branchWords.contains(member.name) {
                unknown(member.name, among: Self.branchWords, place)
            }
            branches.append(
                Action.Branch(
                    condition: object["guard"].flatMap { condition($0, place.member("guard")) },
                    actions: object["actions"].map { actions($0, place.member("actions")) } ?? []))
        }
        return .choose(branches)
    }

    private mutating func loop(_ json: JSONValue, _ path: JSONPath) -> Action.Kind? {
        guard let object = json.object, let list = object["in"], let item = object["item"] else {
            problems.error(path, "'foreach' is an object with 'in', 'item' and 'actions'")
            return nil
        }
        for member in object where !Self.loopWords.contains(member.name) {
            unknown(member.name, among: Self.loopWords, path)
        }
        guard let itemName = loopName(item, path.member("item")) else { return nil }
        var indexName: Action.LoopName?
        if let index = object["index"] {
            guard let name = loopName(index, path.member("index")) else { return nil }
            indexName = name
        }
        return .foreach(
            Action.Loop(
                list: template(list, path.member("in")), item: itemName, index: indexName,
                actions: object["actions"].map { actions($0, path.member("actions")) } ?? []))
    }

    /// The member of the context that a loop sets.
    private mutating func loopName(_ json: JSONValue, _ path: JSONPath) -> Action.LoopName? {
        guard let name = json.string else {
            problems.error(path, "this is the name of a member of the context")
            return nil
        }
        if Location.reserved.contains(name) || !JSONPath.isIdentifier(name) {
            let message = "'\(name)' can't be a member that a loop sets: use letters and digits"
            fault(path, message)
            return .invalid(message)
        }
        contextTypes?.setByLoop(name)
        return .member(CELKey(name))
    }
}
