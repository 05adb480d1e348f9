/// Writes expressions of ECMAScript as CEL.
struct CELWriter {
    /// A difference that is worth a look.
    struct Note: Sendable {
        /// The place in the text.
        let index: Int
        let message: String
        /// Whether one note of a document is enough.
        let isGeneral: Bool
    }

    let scope: ScriptScope
    private(set) var notes: [Note] = []
    private var generalMessages: Set<String> = []

    init(_ scope: ScriptScope) { self.scope = scope }

    /// The address of SCXML's own processor, which is `machine` here.
    static let processor = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"

    /// Its names.
    static let processors: Set<String> = [
        processor, "http://www.w3.org/TR/scxml/", "http://www.w3.org/TR/scxml", "scxml",
    ]

    mutating func note(_ index: Int, _ message: String) {
        // An operand that is written twice has one note.
        guard !notes.contains(where: { $0.index == index && $0.message == message }) else { return }
        notes.append(Note(index: index, message: message, isGeneral: false))
    }

    /// Notes what holds in many places of a document, of which the first is reported.
    mutating func generalNote(_ index: Int, _ message: String) {
        guard generalMessages.insert(message).inserted else { return }
        notes.append(Note(index: index, message: message, isGeneral: true))
    }

    func unsupported(_ index: Int, _ message: String) -> ScriptFault {
        ScriptFault(kind: .unsupported, index: index, message: message)
    }

    // MARK: Entry points

    /// Writes an expression of any type.
    mutating func value(_ expression: ScriptExpression) throws(ScriptFault) -> CELText {
        let result = try plainValue(expression)
        // Some operators repeat their operands.
        guard result.text.utf8.count <= ImportLimits.scriptBytesMax else {
            throw unsupported(
                expression.index,
                "in CEL this has more than \(ImportLimits.scriptBytesMax) bytes")
        }
        return result
    }

    private mutating func plainValue(
        _ expression: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        switch expression.node {
        case .null, .undefined: return CELText(text: "null", kind: .nothing)
        case .bool(let value): return CELText(text: value ? "true" : "false", kind: .bool)
        case .number(let value): return Self.number(value)
        case .string(let text): return CELText(text: literal(text), kind: .string)
        case .name(let name): return try self.name(name, expression.index)
        case .array(let elements):
            var parts: [String] = []
            for element in elements { parts.append(try value(element).text) }
            return CELText(text: "[\(parts.joined(separator: ", "))]", kind: .list)
        case .object(let members):
            var parts: [String] = []
            for member in members {
                parts.append("\(CELText.literal(member.name)): \(try value(member.value).text)")
            }
            return CELText(text: "{\(parts.joined(separator: ", "))}", kind: .map)
        case .member(let object, let name):
            return try member(of: object, name, expression.index)
        case .element(let object, let index): return try element(of: object, index)
        case .call(let function, let arguments):
            return try call(function, arguments, expression.index)
        case .unary(let sign, let operand): return try unary(sign, operand, expression.index)
        case .binary(let sign, let left, let right):
            return try binary(sign, left, right, expression.index)
        case .conditional(let condition, let one, let other):
            let (yes, no) = (try value(one), try value(other))
            let test = try truth(condition).within(.or)
            return CELText(
                text: "\(test) ? \(yes.within(.or)) : \(no.within(.conditional))",
                binding: .conditional, kind: yes.kind.joined(with: no.kind))
        }
    }

    /// A number as a literal.
    static func number(_ value: Double) -> CELText {
        let text = CELText.number(value)
        let isInteger = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2D }
        return CELText(
            text: text, binding: value < 0 ? .unary : .operand,
            kind: isInteger ? .integer : .number)
    }

    // MARK: Names

    /// A string; ids of states have new names.
    private func literal(_ text: String) -> String {
        CELText.literal(Self.renamed(text, scope.states))
    }

    /// The name of an event, in which the id of a state has its new name.
    static func renamed(_ event: String, _ states: [String: String]) -> String {
        let prefix = "done.state."
        guard event.hasPrefix(prefix), let name = states[String(event.dropFirst(prefix.count))]
        else { return event }
        return prefix + name
    }

    private mutating func name(_ name: String, _ index: Int) throws(ScriptFault) -> CELText {
        switch name {
        case "_event":
            note(index, "the members of '_event' as a whole have other names here")
            return CELText(text: "event")
        case "_sessionid": return CELText(text: "self.address", kind: .string)
        case "_name": return CELText(text: "self.machine", kind: .string)
        case "_ioprocessors":
            return CELText(text: "{'scxml': {'location': self.address}}", kind: .map)
        case "NaN", "Infinity":
            return CELText(
                text: name == "NaN" ? "double('NaN')" : "double('Infinity')", kind: .number)
        case _ where name.hasPrefix("_") && !scope.names.contains(name):
            throw unsupported(index, "'\(name)' has no counterpart")
        default:
            if !scope.names.contains(name) {
                note(index, "'\(name)' isn't declared: its use fails")
            }
            return CELText(
                text: "context" + CELText.access(name), kind: scope.kinds[name] ?? .unknown)
        }
    }

    mutating func member(
        of object: ScriptExpression, _ name: String, _ index: Int
    ) throws(ScriptFault) -> CELText {
        if object.name == "_event" { return try eventMember(name, index) }
        if object.isEventData { return try dataMember(name, index) }
        if object.isNothing {
            note(index, "a member of nothing: its use fails")
            return CELText(text: "1 / 0", binding: .product)
        }
        if name == "location", let place = Self.processor(object) {
            guard Self.processors.contains(place) else {
                throw unsupported(index, "there is no processor '\(place)'")
            }
            return CELText(text: "self.address", kind: .string)
        }
        if object.name == "Math" { return try constant(name, index) }
        let subject = try value(object)
        if name == "length", subject.kind != .map { return length(of: subject, index) }
        return CELText(text: subject.within(.operand) + CELText.access(name))
    }

    private mutating func length(of subject: CELText, _ index: Int) -> CELText {
        if subject.kind == .unknown {
            generalNote(index, "the 'length' of an object is the number of its members here")
        }
        return CELText(text: "size(\(subject.text))", kind: .integer)
    }

    /// The processor's name in `_ioprocessors.name` and `_ioprocessors['name']`.
    private static func processor(_ expression: ScriptExpression) -> String? {
        switch expression.node {
        case .member(let object, let name) where object.name == "_ioprocessors": return name
        case .element(let object, let name) where object.name == "_ioprocessors":
            if case .string(let text) = name.node { return text }
            return nil
        default: return nil
        }
    }

    private func constant(_ name: String, _ index: Int) throws(ScriptFault) -> CELText {
        switch name {
        case "PI": return CELText(text: "\(Double.pi)", kind: .number)
        case "E": return CELText(text: "2.718281828459045", kind: .number)
        default: throw unsupported(index, "'Math.\(name)' has no counterpart in CEL")
        }
    }

    private mutating func element(
        of object: ScriptExpression, _ place: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        if case .string(let name) = place.node { return try member(of: object, name, place.index) }
        if object.name == "_event" {
            throw unsupported(place.index, "a member of '_event' has a constant name in CEL")
        }
        let subject = object.isEventData ? eventValue : try value(object)
        let key = try value(place)
        switch subject.kind {
        case .string: return character(subject, key)
        case .map where key.kind.isNumber:
            return CELText(text: "\(subject.within(.operand))[\(string(key, place.index))]")
        default: return CELText(text: "\(subject.within(.operand))[\(key.text)]")
        }
    }

    /// Writes the member or element of a value that may lack it as an optional value; nil for
    /// anything else.
    mutating func optional(_ expression: ScriptExpression) throws(ScriptFault) -> String? {
        switch expression.node {
        case .member(let object, let name):
            return try optionalMember(object, name, expression.index)
        case .element(let object, let place):
            if case .string(let name) = place.node {
                return try optionalMember(object, name, place.index)
            }
            guard object.name != "_event" else { return nil }
            let subject = object.isEventData ? eventValue : try value(object)
            guard subject.kind != .string else { return nil }
            let key = try value(place)
            let text =
                subject.kind == .map && key.kind.isNumber ? string(key, place.index) : key.text
            return "\(subject.within(.operand))[?\(text)]"
        default: return nil
        }
    }

    private mutating func optionalMember(
        _ object: ScriptExpression, _ name: String, _ index: Int
    ) throws(ScriptFault) -> String? {
        let special: Set<String> = ["_event", "Math", "_ioprocessors"]
        if name == "length" || special.contains(object.name ?? "") || object.isNothing
            || Self.processor(object) != nil
        {
            return nil
        }
        if object.isEventData {
            _ = try dataMember(name, index)
            return eventObject.within(.operand) + CELText.optionalAccess(name)
        }
        return try value(object).within(.operand) + CELText.optionalAccess(name)
    }

    // MARK: Places

    /// Notes that a list or object is copied, if its members are changed somewhere.
    mutating func noteAlias(_ expression: ScriptExpression, _ text: CELText) {
        guard scope.changesMembers, [.list, .map, .unknown].contains(text.kind),
            Self.isContextPlace(expression)
        else { return }
        note(
            expression.index,
            "a list or object is copied here: a later change of one doesn't change the other")
    }

    private static func isContextPlace(_ expression: ScriptExpression) -> Bool {
        switch expression.node {
        case .name(let name): !name.hasPrefix("_")
        case .member(let object, _), .element(let object, _): isContextPlace(object)
        default: false
        }
    }

    /// Writes the place of an assignment: `a.b[0]`, without `context`.
    mutating func place(_ expression: ScriptExpression) throws(ScriptFault) -> String {
        switch expression.node {
        case .name(let name):
            // Names of the platform can't be assigned in either language: it fails when it runs.
            if name == "_event" { return "event" }
            if name.hasPrefix("_"), !scope.names.contains(name) { return "self" }
            return name
        case .member(let object, let name):
            if name == "length", try value(object).kind != .map {
                throw unsupported(
                    expression.index, "'length' can't be assigned: assign a list instead")
            }
            let isPlain = !name.isEmpty && !name.contains { ".[]".contains($0) }
            return try place(object) + (isPlain ? ".\(name)" : "[\"\(name)\"]")
        case .element(let object, let index):
            switch index.node {
            case .number(let value) where value >= 0 && value == value.rounded():
                return "\(try place(object))[\(CELText.number(value))]"
            case .string(let name) where !name.contains { "\"\\]".contains($0) }:
                return "\(try place(object))[\"\(name)\"]"
            default:
                throw unsupported(
                    index.index, "a place of an assignment has constant indexes only")
            }
        default:
            throw ScriptFault(
                kind: .syntax, index: expression.index, message: "nothing can be assigned here")
        }
    }
}
