import OrderedJSON

extension SCXMLImporter {
    // MARK: send

    private static let sendNames: Set<String> = [
        "event", "eventexpr", "target", "targetexpr", "type", "typeexpr", "id", "idlocation",
        "delay", "delayexpr", "namelist",
    ]

    /// Returns the action of `<send>`.
    mutating func send(_ element: XMLElement) -> JSONValue {
        checkAttributes(element, Self.sendNames)
        checkChildren(element, ["param", "content"])
        var send: JSONObject = ["event": event(element)]
        if let target = recipient(element) { send["to"] = target }
        if let via = processor(element, "'type' of <send>") { send["via"] = via }
        if let delay = literal(element, "delay", "delayexpr"), delay.string != "0s" {
            send["delay"] = delay
        }
        if let id = identifier(element) { send["id"] = id }
        return ["send": .object(send)]
    }

    private mutating func event(_ element: XMLElement) -> JSONValue {
        var type = literal(element, "event", "eventexpr")
        if let name = type?.string { type = .string(CELWriter.renamed(name, scope.states)) }
        if type == nil {
            problems.error(
                element.offset, "<send> needs an event: its content alone can't be sent")
        }
        guard let data = payload(element) else {
            if let text = type?.string { return .string(text) }
            return ["type": type ?? ""]
        }
        var event: JSONObject = ["type": type ?? ""]
        guard case .object(let members) = data else {
            event["value"] = data
            noteObject(element)
            return .object(event)
        }
        if members.count == 1, members["value"] != nil {
            problems.warning(
                element.offset,
                "with 'value' as its only datum, '_event.data' as a whole is this value here")
        }
        for member in members {
            if member.name == "type" {
                problems.error(
                    element.offset,
                    "an event's member 'type' is its name: give the datum another name")
            } else {
                event[member.name] = member.value
            }
        }
        return .object(event)
    }

    /// An object as the value of `content` becomes a member here, not the members of the event.
    private mutating func noteObject(_ element: XMLElement) {
        let isOwn = ["", "#_internal"].contains(element["target"] ?? "")
        guard element.attribute("targetexpr") != nil || !isOwn,
            let content = element.elements.first(where: { $0.name == "content" }),
            let attribute = content.attribute("expr"), Self.maySendObject(attribute, scope)
        else { return }
        problems.warning(
            attribute.offset,
            "if this is an object, it is the member 'value' of the event: a machine of another "
                + "document finds its members there")
    }

    /// Returns the data of a send, an invocation or a final state as a template: an object of
    /// `namelist` and `param`, or the value of `content`; nil without any.
    mutating func payload(_ element: XMLElement) -> JSONValue? {
        var members = JSONObject()
        if let list = element.attribute("namelist") {
            for name in list.value.string.split(whereSeparator: \.isWhitespace) {
                let text = XMLText(Array(name.utf8), fixedOffset: list.offset)
                members[String(name)] = .string(
                    expression(text) { (writer, parsed) throws(ScriptFault) in
                        try writer.lenient(parsed).text
                    })
            }
        }
        for param in element.elements where param.name == "param" && isOurs(param) {
            checkAttributes(param, ["name", "expr", "location"])
            checkOneOf(param, ["expr", "location"])
            guard let name = param["name"], !name.isEmpty,
                let value = param.attribute("expr") ?? param.attribute("location")
            else {
                problems.error(param.offset, "<param> needs a name, and an expr or a location")
                continue
            }
            members[name] = template(value)
        }
        let contents = element.elements.filter { $0.name == "content" && isOurs($0) }
        guard let content = contents.first else {
            return members.isEmpty ? nil : .object(members)
        }
        if contents.count > 1 || !members.isEmpty {
            problems.error(content.offset, "<content> excludes other data")
        }
        checkAttributes(content, ["expr"])
        if let attribute = content.attribute("expr") { return self.members(attribute) }
        return template(of: self.content(content))
    }

    /// Returns a value as a template: of an object that is written here, its members.
    private mutating func members(_ attribute: XMLElement.Attribute) -> JSONValue {
        guard let parsed = try? ScriptParser.expression(attribute.value.bytes),
            case .object(let members) = parsed.node
        else { return template(attribute) }
        var result = JSONObject()
        for member in members {
            result[member.name] = .string(
                expression(attribute.value) { (writer, _) throws(ScriptFault) in
                    try writer.lenient(member.value).text
                })
        }
        return .object(result)
    }

    private mutating func recipient(_ element: XMLElement) -> JSONValue? {
        guard let target = literal(element, "target", "targetexpr") else { return nil }
        if let text = target.string { return Self.recipient(text).map { .string($0) } }
        guard let expression = target["expr"]?.string, !Self.addresses.contains(expression) else {
            return target
        }
        return ["expr": .string(Self.computedRecipient(expression))]
    }

    /// The expressions of an instance's address, which is one here, too.
    private static let addresses: Set<String> = ["meta.origin", "self.address"]

    /// An expression of the recipient of a target that is computed.
    private static func computedRecipient(_ target: String) -> String {
        "[\(target)].map(t, t == '#_internal' ? 'internal' : (t == '#_parent' ? 'parent' : "
            + "(t.startsWith('#_scxml_') ? (t.contains('/') ? '' : 'scxml/') + t.substring(8) : "
            + "(t.startsWith('#_') ? 'child:' + t.substring(2) : t))))[0]"
    }

    /// The recipient of a target; nil for the sender itself.
    private static func recipient(_ target: String) -> String? {
        switch target {
        case "": return nil
        case "#_internal": return "internal"
        case "#_parent": return "parent"
        case _ where target.hasPrefix("#_scxml_"):
            // A session that nobody has is unknown, and no fault of the target.
            let session = target.dropFirst(8)
            return session.contains("/") ? String(session) : "scxml/\(session)"
        case _ where target.hasPrefix("#_"): return "child:" + target.dropFirst(2)
        default: return target
        }
    }

    /// Returns `via` for a type: nothing for SCXML's own processor. Another type fails when it is
    /// used, in SCXML as here.
    private mutating func processor(_ element: XMLElement, _ noun: String) -> JSONValue? {
        guard let type = literal(element, "type", "typeexpr") else { return nil }
        if let text = type.string {
            if CELWriter.processors.contains(text) { return nil }
            let offset = element.attribute("type")?.offset ?? element.offset
            if text.contains("BasicHTTP") {
                problems.error(offset, "\(noun): HTTP is \"invoke\" with \"src\":\"http\" here")
            } else {
                problems.warning(offset, "\(noun): '\(text)' isn't known, and fails when used")
            }
            return type
        }
        // Its processor's address in a variable is known when it is sent.
        guard let text = type["expr"]?.string else { return type }
        let names = CELWriter.processors.sorted().map(CELText.literal).joined(separator: ", ")
        return [
            "expr": .string("[\(text)].map(t, t in [\(names)] ? 'machine' : t)[0]")
        ]
    }

    /// Returns `id` of a send or invocation.
    private mutating func identifier(_ element: XMLElement) -> JSONValue? {
        checkOneOf(element, ["id", "idlocation"])
        if let id = element["id"] { return .string(id) }
        return element.attribute("idlocation").map { ["assign": .string(place($0))] }
    }

    // MARK: invoke

    private static let invokeNames: Set<String> = [
        "type", "typeexpr", "src", "srcexpr", "id", "idlocation", "namelist", "autoforward",
    ]

    /// Returns an invocation; nil if it can't be said.
    mutating func invoke(_ element: XMLElement) -> JSONValue? {
        checkAttributes(element, Self.invokeNames)
        checkChildren(element, ["param", "finalize", "content"])
        checkOneOf(element, ["type", "typeexpr"])
        if let type = element["type"], !CELWriter.processors.contains(type) {
            problems.error(
                element.offset, "machines of the type '\(type)' can't be invoked")
        }
        if let type = element.attribute("typeexpr") {
            problems.warning(type.offset, "'typeexpr' isn't imported: the machine is one of SCXML")
        }
        guard let source = source(element) else { return nil }
        var invoke = JSONObject()
        if let id = identifier(element) { invoke["id"] = id }
        invoke["src"] = source
        var inputs = element
        inputs.content.removeAll {
            if case .element(let child) = $0 { child.name == "content" } else { false }
        }
        if let input = payload(inputs) { invoke["input"] = input }
        switch element["autoforward"] {
        case nil, "false": break
        case "true": invoke["autoforward"] = true
        default: problems.error(element.offset, "'autoforward' is true or false")
        }
        for child in element.elements where child.name == "finalize" && isOurs(child) {
            checkAttributes(child, [])
            // Any event of the child, and its end, whether a transition takes them or not.
            scope.eventData = place(of: DataSources(isUser: true, isDone: true))
            let actions = self.actions(in: child)
            scope.eventData = defaultData
            let all = child.elements.isEmpty ? returned(to: element) : actions
            if !all.isEmpty { invoke["finalize"] = .array(all) }
        }
        return .object(invoke)
    }

    /// Returns the actions of an empty `<finalize>`: places that were passed get the members of
    /// the event with their names (SCXML 6.5.2).
    private mutating func returned(to element: XMLElement) -> [JSONValue] {
        var pairs: [(name: String, place: String)] = []
        for name in (element["namelist"] ?? "").split(whereSeparator: \.isWhitespace) {
            pairs.append((String(name), String(name)))
        }
        for param in element.elements where param.name == "param" {
            if let name = param["name"], let location = param.attribute("location") {
                pairs.append((name, place(location)))
            }
        }
        return pairs.filter { CELText.isIdentifier($0.name) }.map { name, place in
            let actions: JSONValue = [["assign": [place: .string("event.\(name)")]]]
            return ["choose": [["guard": .string("has(event.\(name))"), "actions": actions]]]
        }
    }

    private mutating func source(_ element: XMLElement) -> JSONValue? {
        let contents = element.elements.filter { $0.name == "content" && isOurs($0) }
        if let content = contents.first {
            checkAttributes(content, ["expr"])
            if element["src"] != nil || element["srcexpr"] != nil || contents.count > 1 {
                problems.error(content.offset, "<content> excludes other sources")
            }
            if let attribute = content.attribute("expr") {
                return ["machine": ["expr": .string(expression(attribute))]]
            }
            guard let root = content.elements.first, root.name == "scxml", isOurs(root),
                content.elements.count == 1
            else {
                problems.error(content.offset, "<content> of <invoke> is a machine, <scxml>")
                return nil
            }
            return innerMachine(root).map { ["machine": .object($0)] }
        }
        guard case .string(let name)? = literal(element, "src", "srcexpr") else {
            problems.error(
                element.offset,
                "<invoke> needs a machine: as content, or in a file that 'src' names")
            return nil
        }
        guard let bytes = file(name, element) else { return nil }
        return machineFile(bytes, name, element)
    }

    /// Returns the machine of another file.
    private mutating func machineFile(
        _ bytes: [UInt8], _ name: String, _ element: XMLElement
    ) -> JSONValue? {
        guard machineLevel < ImportLimits.machineLevelsMax else {
            problems.error(
                element.offset,
                "machines may be nested \(ImportLimits.machineLevelsMax) deep")
            return nil
        }
        let found = SCXMLImporter.inner(bytes, read: read, machineLevel: machineLevel + 1)
        for problem in found.problems {
            let message = "\(name):\(problem.line):\(problem.column): \(problem.message)"
            switch problem.severity {
            case .error: problems.error(element.offset, message)
            case .warning: problems.warning(element.offset, message)
            }
        }
        return found.definition.map { ["machine": $0] }
    }

    /// Imports a machine of another file, within one that invokes it.
    private static func inner(
        _ bytes: [UInt8], read: @escaping Reader, machineLevel: Int
    ) -> ImportResult {
        let lines = LineTable(bytes)
        var problems = ProblemCollector(lines)
        do throws(XMLFault) {
            let root = try XMLReader.read(bytes)
            guard root.name == "scxml" else {
                problems.error(root.offset, "the root element isn't 'scxml'")
                return problems.result(nil)
            }
            var importer = SCXMLImporter(
                root, lines: lines, problems: problems, read: read, machineLevel: machineLevel)
            let definition = importer.machine(root, name: nil)
            return importer.problems.result(.object(definition))
        } catch {
            problems.error(error.offset, error.message)
            return problems.result(nil)
        }
    }
}
