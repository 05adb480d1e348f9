import OrderedJSON

extension SCXMLImporter {
    static let actionNames: Set<String> = [
        "assign", "raise", "send", "cancel", "log", "if", "foreach", "script",
    ]

    /// Returns `entry` or `exit`: a list of actions, or a list of blocks if there are several.
    ///
    /// - Parameter first: A block before the others.
    mutating func blocks(_ elements: [XMLElement], first: JSONValue?) -> JSONValue? {
        var blocks: [[JSONValue]] = first.map { [[$0]] } ?? []
        for element in elements {
            checkAttributes(element, [])
            let block = actions(in: element)
            if !block.isEmpty { blocks.append(block) }
        }
        if blocks.isEmpty { return nil }
        return .array(blocks.count == 1 ? blocks[0] : blocks.map { .array($0) })
    }

    /// Returns the executable content of an element.
    mutating func actions(in element: XMLElement) -> [JSONValue] {
        checkChildren(element, Self.actionNames)
        return element.elements.filter(isOurs).flatMap { action($0) }
    }

    private mutating func action(_ element: XMLElement) -> [JSONValue] {
        switch element.name {
        case "assign": return assign(element).map { [$0] } ?? []
        case "raise": return raise(element).map { [$0] } ?? []
        case "send": return [send(element)]
        case "cancel":
            checkAttributes(element, ["sendid", "sendidexpr"])
            checkChildren(element, [])
            guard let id = literal(element, "sendid", "sendidexpr") else {
                problems.error(element.offset, "<cancel> needs a sendid")
                return []
            }
            return [["cancel": id]]
        case "log": return [log(element)]
        case "if": return [choose(element)]
        case "foreach": return foreach(element).map { [$0] } ?? []
        case "script": return script(element)
        default: return []
        }
    }

    private mutating func raise(_ element: XMLElement) -> JSONValue? {
        checkAttributes(element, ["event"])
        checkChildren(element, [])
        guard let event = element["event"], !event.isEmpty else {
            problems.error(element.offset, "<raise> needs an event")
            return nil
        }
        return ["raise": .string(CELWriter.renamed(event, scope.states))]
    }

    /// A log changes nothing: where CEL can't say its value, the expression's text is logged.
    private mutating func log(_ element: XMLElement) -> JSONValue {
        checkAttributes(element, ["label", "expr"])
        checkChildren(element, [])
        var log = JSONObject()
        if let label = element["label"] { log["label"] = .string(label) }
        if let attribute = element.attribute("expr") { log["value"] = logged(attribute) }
        return ["log": log.isEmpty ? .null : .object(log)]
    }

    private mutating func logged(_ attribute: XMLElement.Attribute) -> JSONValue {
        var writer = CELWriter(scope)
        do throws(ScriptFault) {
            let parsed = try ScriptParser.expression(attribute.value.bytes)
            return .string(try writer.lenient(parsed).text)
        } catch {
            guard error.kind == .unsupported else { return template(attribute) }
            problems.warning(
                attribute.value.offset(of: error.index),
                "\(error.message): the expression's text is logged instead of its value")
            return .string(CELText.literal(attribute.value.string))
        }
    }

    private mutating func choose(_ element: XMLElement) -> JSONValue {
        checkAttributes(element, ["cond"])
        checkChildren(element, Self.actionNames.union(["elseif", "else"]))
        var branches: [JSONValue] = []
        var actions: [JSONValue] = []
        var hasElse = false
        func close(_ condition: String?) {
            var branch = JSONObject()
            if let condition { branch["guard"] = .string(condition) }
            branch["actions"] = .array(actions)
            branches.append(.object(branch))
            actions = []
        }
        var condition: String? = guarded(element)
        for child in element.elements where isOurs(child) {
            guard child.name == "elseif" || child.name == "else" else {
                actions += action(child)
                continue
            }
            if hasElse { problems.error(child.offset, "nothing follows <else> in <if>") }
            close(condition)
            checkAttributes(child, child.name == "else" ? [] : ["cond"])
            checkChildren(child, [])
            hasElse = child.name == "else"
            condition = hasElse ? nil : guarded(child)
        }
        close(condition)
        return ["choose": .array(branches)]
    }

    private mutating func guarded(_ element: XMLElement) -> String {
        guard let attribute = element.attribute("cond") else {
            problems.error(element.offset, "<\(element.name)> needs a cond")
            return "false"
        }
        return condition(attribute)
    }

    private mutating func foreach(_ element: XMLElement) -> JSONValue? {
        checkAttributes(element, ["array", "item", "index"])
        guard let array = element.attribute("array"), let item = element["item"] else {
            problems.error(element.offset, "<foreach> needs an array and an item")
            return nil
        }
        var loop: JSONObject = ["in": .string(expression(array)), "item": .string(item)]
        if let index = element["index"] { loop["index"] = .string(index) }
        loop["actions"] = .array(actions(in: element))
        return ["foreach": .object(loop)]
    }
}
