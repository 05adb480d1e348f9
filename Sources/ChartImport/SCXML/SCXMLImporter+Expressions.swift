import OrderedJSON

extension SCXMLImporter {
    /// An expression that fails whenever it is evaluated.
    static let failing = "1 / 0"
    /// A condition that fails whenever it is evaluated.
    static let failingCondition = "1 / 0 == 0"

    /// Returns an attribute's expression as CEL.
    mutating func expression(_ attribute: XMLElement.Attribute) -> String {
        expression(attribute.value) { (writer, parsed) throws(ScriptFault) in
            // A member that isn't there is undefined.
            try writer.lenient(parsed).text
        }
    }

    /// Returns an attribute's condition as CEL.
    mutating func condition(_ attribute: XMLElement.Attribute) -> String {
        expression(attribute.value, failure: Self.failingCondition) {
            (writer, parsed) throws(ScriptFault) in
            try writer.truth(parsed).text
        }
    }

    /// Parses and writes an expression. A text that is no ECMAScript fails when it is evaluated,
    /// and so does the result; one that CEL can't say is an error.
    mutating func expression(
        _ text: XMLText, failure: String = SCXMLImporter.failing,
        write: (inout CELWriter, ScriptExpression) throws(ScriptFault) -> String
    ) -> String {
        var writer = CELWriter(scope)
        do throws(ScriptFault) {
            let result = try write(&writer, try ScriptParser.expression(text.bytes))
            report(writer.notes, in: text)
            return result
        } catch {
            report(error, in: text)
            return failure
        }
    }

    mutating func report(_ notes: [CELWriter.Note], in text: XMLText) {
        for note in notes where !note.isGeneral || noted.insert(note.message).inserted {
            let message =
                note.isGeneral ? "\(note.message) (reported once)" : note.message
            problems.warning(text.offset(of: note.index), message)
        }
    }

    mutating func report(_ fault: ScriptFault, in text: XMLText) {
        let offset = text.offset(of: fault.index)
        switch fault.kind {
        case .syntax:
            problems.warning(
                offset,
                "\(fault.message): this is no ECMAScript, and becomes an expression that fails")
        case .unsupported: problems.error(offset, fault.message)
        }
    }

    /// Returns the constant of an attribute's expression; nil if it is computed.
    func constant(_ attribute: XMLElement.Attribute) -> JSONValue? {
        (try? ScriptParser.expression(attribute.value.bytes))?.constant
    }

    /// Returns a text of a literal position from `name` or from its expression in `computed`.
    mutating func literal(_ element: XMLElement, _ name: String, _ computed: String) -> JSONValue? {
        checkOneOf(element, [name, computed])
        if let text = element[name] { return .string(text) }
        guard let attribute = element.attribute(computed) else { return nil }
        if case .string(let text) = constant(attribute) { return .string(text) }
        return ["expr": .string(expression(attribute))]
    }

    /// Returns the place of an assignment. A place that is none fails when it is assigned.
    mutating func place(_ attribute: XMLElement.Attribute) -> String {
        expression(attribute.value) { (writer, parsed) throws(ScriptFault) in
            try writer.place(parsed)
        }.replacingFailure(with: "self")
    }

    // MARK: Values

    /// Returns a constant as a template: texts become expressions.
    func template(of value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(CELText.literal(text))
        case .array(let elements): return .array(elements.map { template(of: $0) })
        case .object(let object):
            var result = JSONObject()
            for member in object { result[member.name] = template(of: member.value) }
            return .object(result)
        default: return value
        }
    }

    /// Returns an attribute's expression in a position where a text is an expression. Numbers,
    /// truth values, objects and lists of constants stand for themselves.
    mutating func template(_ attribute: XMLElement.Attribute) -> JSONValue {
        guard let constant = constant(attribute) else {
            return .string(expression(attribute))
        }
        return template(of: constant)
    }

    /// Returns the content of an element as a constant: a machine, a value of ECMAScript, or the
    /// text with blanks collapsed (SCXML B.2.1).
    mutating func content(_ element: XMLElement) -> JSONValue {
        let children = element.elements
        if let child = children.first {
            if children.count == 1, child.name == "scxml", isOurs(child) {
                return innerMachine(child).map { .object($0) } ?? .null
            }
            problems.error(child.offset, "XML as a value has no counterpart")
            return .null
        }
        let text = element.text
        return Self.constant(ofText: text.bytes) ?? .string(text.collapsed)
    }

    /// The value of a text that is JSON, or that writes an object or list as ECMAScript does; nil
    /// for a text that stands for itself, such as `'a'`.
    static func constant(ofText bytes: [UInt8]) -> JSONValue? {
        guard let parsed = try? ScriptParser.expression(bytes) else { return nil }
        switch parsed.node {
        case .undefined: return nil
        case .string where bytes.first { !XMLReader.isSpace($0) } != UInt8(ascii: "\""): return nil
        default: return parsed.constant
        }
    }

    /// Returns the definition of a machine inside.
    mutating func innerMachine(_ root: XMLElement) -> JSONObject? {
        guard machineLevel < ImportLimits.machineLevelsMax else {
            problems.error(
                root.offset,
                "machines may be nested \(ImportLimits.machineLevelsMax) deep")
            return nil
        }
        var inner = SCXMLImporter(
            root, lines: lines, problems: problems, read: read, machineLevel: machineLevel + 1)
        inner.noted = noted
        inner.sendsObjects = sendsObjects
        let machine = inner.machine(root, name: nil)
        problems = inner.problems
        noted = inner.noted
        return machine
    }
}

extension String {
    /// The text, or another one if it stands for a failure.
    fileprivate func replacingFailure(with other: String) -> String {
        self == SCXMLImporter.failing ? other : self
    }
}
