import OrderedJSON

extension SCXMLImporter {
    /// Returns the members of the context that `datamodel` elements of a state declare, with those
    /// of the states inside, in document order.
    mutating func contextMembers(_ element: XMLElement, isRoot: Bool) -> JSONObject {
        var members = JSONObject()
        for child in element.elements where isOurs(child) {
            if child.name == "datamodel" {
                checkAttributes(child, [])
                checkChildren(child, ["data"])
                for datum in child.elements where datum.name == "data" {
                    guard let id = datum["id"], !id.isEmpty else {
                        problems.error(datum.offset, "<data> needs an id")
                        continue
                    }
                    members[id] = bindsLate && !isRoot ? .null : initialValue(datum)
                }
            } else if SCXMLDocument.stateNames.contains(child.name) {
                for member in contextMembers(child, isRoot: false) {
                    members[member.name] = member.value
                }
            }
        }
        return members
    }

    /// Returns the initial value of a datum, in a literal position.
    private mutating func initialValue(_ datum: XMLElement) -> JSONValue {
        checkAttributes(datum, ["id", "expr", "src"])
        checkOneOf(datum, ["expr", "src"])
        guard let attribute = datum.attribute("expr") else { return literal(valueOf(datum)) }
        if let value = constant(attribute) { return literal(value) }
        return ["expr": .string(expression(attribute))]
    }

    /// A constant in a literal position, where `{"expr":…}` would be computed.
    private func literal(_ value: JSONValue) -> JSONValue {
        guard case .object(let object) = value, object.count == 1, object["expr"]?.string != nil
        else { return value }
        return ["expr": .string("{'expr': \(CELText.literal(object["expr"]?.string ?? ""))}")]
    }

    /// Returns the value of a file or of the content; null without either.
    private mutating func valueOf(_ element: XMLElement) -> JSONValue {
        if let source = element["src"] {
            guard let bytes = file(source, element) else { return .null }
            let text = XMLText(bytes, fixedOffset: element.offset)
            if let value = Self.constant(ofText: bytes) { return value }
            return .string(text.collapsed)
        }
        if element.elements.isEmpty, element.text.isBlank { return .null }
        return content(element)
    }

    /// Reads a file that an element names; its absence is a problem.
    mutating func file(_ source: String, _ element: XMLElement) -> [UInt8]? {
        let name = source.hasPrefix("file:") ? String(source.dropFirst(5)) : source
        guard let bytes = read(name) else {
            problems.error(
                element.attribute("src")?.offset ?? element.offset,
                "the file '\(source)' isn't there: it must lie beside the document")
            return nil
        }
        guard bytes.count <= ImportLimits.documentBytesMax,
            String(validating: bytes, as: UTF8.self) != nil
        else {
            problems.error(element.offset, "the file '\(source)' is too large, or not UTF-8")
            return nil
        }
        return bytes
    }

    /// Returns the actions that give late data their values when a state is first entered.
    mutating func lateData(_ element: XMLElement, _ name: String) -> JSONValue? {
        guard bindsLate else { return nil }
        let data = element.elements.filter { $0.name == "datamodel" && isOurs($0) }
            .flatMap(\.elements).filter { $0.name == "data" && $0["id"] != nil }
        guard !data.isEmpty else { return nil }
        var flag = "bound_\(name)"
        while !document.declare(flag) { flag += "_" }
        scope.names.insert(flag)
        extraContext[flag] = false
        var actions: [JSONValue] = [["assign": [flag: "true"]]]
        for datum in data {
            checkAttributes(datum, ["id", "expr", "src"])
            let value = datum.attribute("expr").map { template($0) } ?? template(of: valueOf(datum))
            actions.append(["assign": [datum["id"] ?? "": value]])
        }
        let guarded = "!context" + CELText.access(flag)
        return ["choose": [["guard": .string(guarded), "actions": .array(actions)]]]
    }

    // MARK: Assigning

    /// Returns the action of `<assign>`.
    mutating func assign(_ element: XMLElement) -> JSONValue? {
        checkAttributes(element, ["location", "expr"])
        guard let location = element.attribute("location") else {
            problems.error(element.offset, "<assign> needs a location")
            return nil
        }
        let place = self.place(location)
        if let attribute = element.attribute("expr") {
            checkChildren(element, [])
            guard constant(attribute) == nil else {
                return ["assign": [place: template(attribute)]]
            }
            let value = expression(attribute.value) { (writer, parsed) throws(ScriptFault) in
                let text = try writer.lenient(parsed)
                writer.noteAlias(parsed, text)
                return text.text
            }
            return ["assign": [place: .string(value)]]
        }
        return ["assign": [place: template(of: valueOf(element))]]
    }

    // MARK: Scripts

    /// The text of a script, or of the file that it names.
    func scriptText(_ element: XMLElement) -> XMLText? {
        guard let source = element["src"] else { return element.text }
        let name = source.hasPrefix("file:") ? String(source.dropFirst(5)) : source
        return read(name).map { XMLText($0, fixedOffset: element.offset) }
    }

    /// Returns the actions of `<script>`.
    mutating func script(_ element: XMLElement) -> [JSONValue] {
        checkAttributes(element, ["src"])
        checkChildren(element, [], allowsText: true)
        if let source = element["src"], file(source, element) == nil { return [] }
        guard let text = scriptText(element) else { return [] }
        do throws(ScriptFault) {
            return try actions(ScriptParser.statements(text.bytes), text)
        } catch {
            // In a broken script nothing runs, and the block ends.
            report(error, in: text)
            return [["assign": ["self": .string(Self.failing)]]]
        }
    }

    private mutating func actions(
        _ statements: [ScriptStatement], _ text: XMLText
    ) throws(ScriptFault) -> [JSONValue] {
        var writer = CELWriter(scope)
        var result: [JSONValue] = []
        for statement in statements {
            switch statement {
            case .declare: continue
            case .assign(let place, let value, let reach):
                if reach == .block, let name = place.name, outerNames.contains(name) {
                    throw ScriptFault(
                        kind: .unsupported, index: place.index,
                        message: "'\(name)' hides another '\(name)': give it another name")
                }
                result.append(["assign": try assignment(place, value, &writer)])
            case .branch(let condition, let then, let other):
                let guarded = try writer.truth(condition).text
                var branches: [JSONValue] = [
                    ["guard": .string(guarded), "actions": .array(try actions(then, text))]
                ]
                if !other.isEmpty { branches.append(["actions": .array(try actions(other, text))]) }
                result.append(["choose": .array(branches)])
            }
        }
        report(writer.notes, in: text)
        return result
    }

    private func assignment(
        _ place: ScriptExpression, _ value: ScriptExpression, _ writer: inout CELWriter
    ) throws(ScriptFault) -> JSONValue {
        // A list that loses its length is empty.
        if case .member(let list, "length") = place.node, case .number(0) = value.node,
            try writer.value(list).kind != .map
        {
            return [try writer.place(list): []]
        }
        let location = try writer.place(place)
        if let constant = value.constant { return [location: template(of: constant)] }
        let text = try writer.lenient(value)
        writer.noteAlias(value, text)
        return [location: .string(text.text)]
    }
}
