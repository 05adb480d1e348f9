/// Writes expressions of ECMAScript as CEL.
struct CELWriter {
    let scope: ScriptScope
    /// Differences that are worth a look.
    private(set) var notes: [(index: Int, message: String)] = []

    init(_ scope: ScriptScope) { self.scope = scope }

    /// Addresses of SCXML's own processor, which is `machine` here.
    static let processors: Set<String> = [
        "http://www.w3.org/TR/scxml/#SCXMLEventProcessor", "http://www.w3.org/TR/scxml/",
        "http://www.w3.org/TR/scxml", "scxml",
    ]

    // MARK: Entry points

    /// Writes an expression of any type.
    mutating func value(_ expression: ScriptExpression) throws(ScriptFault) -> CELText {
        switch expression.node {
        case .null: return CELText(text: "null")
        case .bool(let value): return CELText(text: value ? "true" : "false", kind: .bool)
        case .number(let value):
            return CELText(
                text: CELText.number(value), binding: value < 0 ? .unary : .operand,
                kind: .number)
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
            let parts = [
                try truth(condition).within(.or), try value(one).within(.or),
                try value(other).within(.conditional),
            ]
            return CELText(
                text: "\(parts[0]) ? \(parts[1]) : \(parts[2])", binding: .conditional)
        }
    }

    /// Writes a condition. CEL asks for a truth value; constants are converted as ECMAScript does.
    mutating func truth(_ expression: ScriptExpression) throws(ScriptFault) -> CELText {
        func constant(_ value: Bool) -> CELText {
            CELText(text: value ? "true" : "false", kind: .bool)
        }
        switch expression.node {
        case .null: return constant(false)
        case .number(let value): return constant(value != 0)
        case .string(let text): return constant(!text.isEmpty)
        case .array, .object: return constant(true)
        default: break
        }
        let result = try value(expression)
        switch result.kind {
        case .bool, .unknown: return result
        case .list, .map: return constant(true)
        case .number, .string:
            let other = result.kind == .number ? "0" : "''"
            return CELText(
                text: "\(result.within(.sum)) != \(other)", binding: .relation, kind: .bool)
        }
    }

    // MARK: Names

    /// A string; ids of states and processors have new names.
    private func literal(_ text: String) -> String {
        if Self.processors.contains(text), text != "scxml" { return "'machine'" }
        let prefix = "done.state."
        if text.hasPrefix(prefix), let name = scope.states[String(text.dropFirst(prefix.count))] {
            return CELText.literal(prefix + name)
        }
        return CELText.literal(text)
    }

    private mutating func name(_ name: String, _ index: Int) throws(ScriptFault) -> CELText {
        switch name {
        case "_event": return CELText(text: "event")
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
                notes.append((index, "'\(name)' isn't declared: its use fails"))
            }
            return CELText(text: "context" + CELText.access(name))
        }
    }

    private mutating func member(
        of object: ScriptExpression, _ name: String, _ index: Int
    ) throws(ScriptFault) -> CELText {
        if object.name == "_event" { return try eventMember(name, index) }
        if case .member(let inner, "data") = object.node, inner.name == "_event" {
            return try dataMember(name, index)
        }
        if case .null = object.node {
            notes.append((index, "a member of nothing: its use fails"))
            return CELText(text: "1 / 0", binding: .product)
        }
        if name == "location", let place = Self.processor(object) {
            guard Self.processors.contains(place) else {
                throw unsupported(index, "there is no processor '\(place)'")
            }
            return CELText(text: "self.address", kind: .string)
        }
        if object.name == "Math" { return try constant(name, index) }
        if name == "length" {
            return CELText(text: "size(\(try value(object).text))", kind: .number)
        }
        return CELText(text: try value(object).within(.operand) + CELText.access(name))
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

    /// The members that every event has (SCXML 5.10.1).
    private static let eventMembers: Set<String> = [
        "name", "type", "sendid", "origin", "origintype", "invokeid", "data",
    ]

    private mutating func eventMember(
        _ name: String, _ index: Int
    ) throws(ScriptFault) -> CELText {
        switch name {
        case "name": return CELText(text: "event.type", kind: .string)
        case "type": return CELText(text: "meta.kind")
        case "sendid": return CELText(text: "meta.send")
        case "origin": return CELText(text: "meta.origin")
        case "origintype": return CELText(text: "meta.via")
        case "invokeid": return CELText(text: "meta.invoke")
        case "data":
            switch scope.eventData {
            case .members: return CELText(text: "event.value")
            case .member(let name): return CELText(text: "event.\(name)")
            }
        default: throw unsupported(index, "'_event.\(name)' has no counterpart")
        }
    }

    private func dataMember(_ name: String, _ index: Int) throws(ScriptFault) -> CELText {
        switch scope.eventData {
        case .member(let data): return CELText(text: "event.\(data)" + CELText.access(name))
        case .members:
            if name == "length" { return CELText(text: "size(event.value)", kind: .number) }
            if name == "type" {
                throw unsupported(
                    index, "an event's member 'type' is its name: give the datum another name")
            }
            return CELText(text: "event" + CELText.access(name))
        }
    }

    private mutating func element(
        of object: ScriptExpression, _ place: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        if case .string(let name) = place.node { return try member(of: object, name, place.index) }
        return CELText(text: "\(try value(object).within(.operand))[\(try value(place).text)]")
    }

    // MARK: Operators

    private mutating func unary(
        _ sign: String, _ operand: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        switch sign {
        case "!":
            let text = try truth(operand).within(.unary)
            return CELText(text: "!\(text)", binding: .unary, kind: .bool)
        case "-":
            let text = try value(operand).within(.operand)
            return CELText(text: "-\(text)", binding: .unary, kind: .number)
        case "+": return CELText(text: "double(\(try value(operand).text))", kind: .number)
        case "void": return CELText(text: "null")
        default:
            throw unsupported(index, "'typeof' is only known in a comparison with a string")
        }
    }

    private mutating func binary(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        switch sign {
        case "||", "&&":
            let one = try truth(left)
            let other = try truth(right)
            if Self.isPlainValue(left) || Self.isPlainValue(right) {
                notes.append((index, "'\(sign)' gives a truth value, not an operand"))
            }
            let binding: CELText.Binding = sign == "||" ? .or : .and
            return CELText(
                text: "\(one.within(binding)) \(sign) \(other.within(binding))",
                binding: binding, kind: .bool)
        case "==", "===", "!=", "!==": return try equality(sign, left, right)
        case "<", "<=", ">", ">=": return try plain(sign, left, right, .relation, .bool)
        case "+": return try sum(left, right)
        case "[+]": return try plain("+", left, right, .sum, .list)
        case "-": return try plain("-", left, right, .sum, .number)
        case "*", "%": return try plain(sign, left, right, .product, .number)
        case "/":
            // Integers of CEL have no fraction.
            let one = "double(\(try value(left).text))"
            let other = try value(right).within(.unary)
            return CELText(text: "\(one) / \(other)", binding: .product, kind: .number)
        case "in":
            if right.name == "_event", case .string(let name) = left.node {
                let isMember = Self.eventMembers.contains(name)
                return CELText(text: isMember ? "true" : "false", kind: .bool)
            }
            return try plain("in", left, right, .relation, .bool)
        default:
            guard right.name == "Array" else {
                throw unsupported(index, "'\(sign)' has no counterpart in CEL")
            }
            return isList(try value(left))
        }
    }

    /// Whether an operand is a constant other than a truth value.
    private static func isPlainValue(_ expression: ScriptExpression) -> Bool {
        switch expression.node {
        case .null, .number, .string, .array, .object: true
        default: false
        }
    }

    private mutating func plain(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression,
        _ binding: CELText.Binding, _ kind: CELText.Kind
    ) throws(ScriptFault) -> CELText {
        let tighter = CELText.Binding(rawValue: binding.rawValue + 1) ?? .operand
        let one = try value(left).within(binding)
        let other = try value(right).within(tighter)
        return CELText(text: "\(one) \(sign) \(other)", binding: binding, kind: kind)
    }

    /// `+` of CEL joins strings only with strings.
    private mutating func sum(
        _ left: ScriptExpression, _ right: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        let one = try value(left)
        let other = try value(right)
        if case .string(let text) = left.node, ["#_scxml_", "#_"].contains(text) {
            // Addresses of sessions and of invoked machines.
            if text == "#_scxml_" { return CELText(text: string(other), kind: .string) }
            return CELText(
                text: "'child:' + \(string(other))", binding: .sum, kind: .string)
        }
        guard one.kind == .string || other.kind == .string else {
            let kind: CELText.Kind = one.kind == other.kind ? one.kind : .unknown
            return CELText(
                text: "\(one.within(.sum)) + \(other.within(.product))", binding: .sum,
                kind: kind)
        }
        let first = one.kind == .string ? one.within(.sum) : string(one)
        let second = other.kind == .string ? other.within(.product) : string(other)
        return CELText(text: "\(first) + \(second)", binding: .sum, kind: .string)
    }

    private func string(_ text: CELText) -> String {
        text.kind == .string ? text.within(.product) : "string(\(text.text))"
    }

    private func isList(_ text: CELText) -> CELText {
        CELText(text: "type(\(text.text)) == list", binding: .relation, kind: .bool)
    }

    private mutating func equality(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        let isEqual = sign.hasPrefix("=")
        for (one, other) in [(left, right), (right, left)] {
            if case .unary("typeof", let operand) = one.node, case .string(let type) = other.node {
                let found = try typeTest(operand, type)
                if isEqual { return found }
                return CELText(text: "!\(found.within(.unary))", binding: .unary, kind: .bool)
            }
        }
        return try plain(isEqual ? "==" : "!=", left, right, .relation, .bool)
    }

    /// `typeof x === 'type'`. A declared variable without a value is null.
    private mutating func typeTest(
        _ operand: ScriptExpression, _ type: String
    ) throws(ScriptFault) -> CELText {
        if let name = operand.name, !name.hasPrefix("_"), !scope.names.contains(name) {
            return CELText(text: type == "undefined" ? "true" : "false", kind: .bool)
        }
        let found = try value(operand)
        func test(_ name: String) -> String { "type(\(found.text)) == \(name)" }
        func relation(_ text: String) -> CELText {
            CELText(text: text, binding: .relation, kind: .bool)
        }
        switch type {
        case "undefined":
            // An output that there isn't is null.
            if case .member(let data) = scope.eventData, found.text == "event.\(data)" {
                return relation("\(found.text) == null")
            }
            if case .member = operand.node, found.text.hasPrefix("event."),
                found.text != "event.type"
            {
                return CELText(text: "!has(\(found.text))", binding: .unary, kind: .bool)
            }
            return relation("\(found.within(.sum)) == null")
        case "string": return relation(test("string"))
        case "boolean": return relation(test("bool"))
        case "number":
            return CELText(
                text: "\(test("int")) || \(test("double"))", binding: .or, kind: .bool)
        case "object":
            return CELText(
                text: "\(test("map")) || \(test("list"))", binding: .or, kind: .bool)
        default: return CELText(text: "false", kind: .bool)
        }
    }

    // MARK: Calls

    private mutating func call(
        _ function: ScriptExpression, _ arguments: [ScriptExpression], _ index: Int
    ) throws(ScriptFault) -> CELText {
        if case .member(let object, let name) = function.node {
            if object.name == "Math" { return try mathCall(name, arguments, index) }
            if object.name == "Array", name == "isArray", arguments.count == 1 {
                return isList(try value(arguments[0]))
            }
            return try method(object, name, arguments, function.index)
        }
        guard let name = function.name, arguments.count == 1 else {
            throw unsupported(index, "this call has no counterpart in CEL")
        }
        switch name {
        case "In":
            guard case .string(let id) = arguments[0].node else {
                return CELText(text: "in(\(try value(arguments[0]).text))", kind: .bool)
            }
            return CELText(
                text: "in(\(CELText.literal(scope.states[id] ?? id)))", kind: .bool)
        case "String": return CELText(text: string(try value(arguments[0])), kind: .string)
        case "Number", "parseFloat":
            return CELText(text: "double(\(try value(arguments[0]).text))", kind: .number)
        case "parseInt":
            return CELText(text: "int(\(try value(arguments[0]).text))", kind: .number)
        case "isNaN":
            return CELText(
                text: "math.isNaN(double(\(try value(arguments[0]).text)))", kind: .bool)
        default: throw unsupported(index, "the function '\(name)' has no counterpart in CEL")
        }
    }

    private mutating func mathCall(
        _ name: String, _ arguments: [ScriptExpression], _ index: Int
    ) throws(ScriptFault) -> CELText {
        var texts: [CELText] = []
        for argument in arguments { texts.append(try value(argument)) }
        let list = texts.map(\.text).joined(separator: ", ")
        switch (name, arguments.count) {
        case ("random", 0): return CELText(text: "rand", kind: .number)
        case ("max", 1...): return CELText(text: "math.greatest(\(list))", kind: .number)
        case ("min", 1...): return CELText(text: "math.least(\(list))", kind: .number)
        case ("abs", 1): return CELText(text: "math.abs(\(list))", kind: .number)
        case ("floor", 1), ("ceil", 1), ("round", 1), ("trunc", 1):
            return CELText(text: "math.\(name)(double(\(list)))", kind: .number)
        case ("sqrt", 1): return CELText(text: "math.sqrt(double(\(list)))", kind: .number)
        case ("pow", 2):
            guard case .number(let power) = arguments[1].node,
                let count = Int(exactly: power), 1...ImportLimits.powerMax ~= count
            else { break }
            let factor = texts[0].within(.unary)
            guard factor.utf8.count * count <= ImportLimits.scriptBytesMax else { break }
            return CELText(
                text: Array(repeating: factor, count: count).joined(separator: " * "),
                binding: count == 1 ? texts[0].binding : .product, kind: .number)
        default: break
        }
        throw unsupported(index, "this use of 'Math.\(name)' has no counterpart in CEL")
    }

    /// Methods of strings and lists, with their names in CEL.
    private static let methods:
        [String: (name: String, counts: ClosedRange<Int>, kind: CELText.Kind)] = [
            "startsWith": ("startsWith", 1...1, .bool), "endsWith": ("endsWith", 1...1, .bool),
            "indexOf": ("indexOf", 1...1, .number),
            "lastIndexOf": ("lastIndexOf", 1...1, .number),
            "toUpperCase": ("upperAscii", 0...0, .string),
            "toLowerCase": ("lowerAscii", 0...0, .string), "trim": ("trim", 0...0, .string),
            "charAt": ("charAt", 1...1, .string), "substring": ("substring", 1...2, .string),
            "split": ("split", 1...1, .list), "join": ("join", 0...1, .string),
        ]

    private mutating func method(
        _ object: ScriptExpression, _ name: String, _ arguments: [ScriptExpression], _ index: Int
    ) throws(ScriptFault) -> CELText {
        let subject = try value(object)
        if name == "toString", arguments.isEmpty {
            return CELText(text: string(subject), kind: .string)
        }
        if name == "concat", subject.kind != .string { return try joined(subject, arguments) }
        guard let method = Self.methods[name], method.counts ~= arguments.count else {
            throw unsupported(index, "the method '\(name)' has no counterpart in CEL")
        }
        var texts: [String] = []
        for argument in arguments { texts.append(try value(argument).text) }
        return CELText(
            text: "\(subject.within(.operand)).\(method.name)(\(texts.joined(separator: ", ")))",
            kind: method.kind)
    }

    /// `concat` of a list: lists are joined, and other values appended.
    private mutating func joined(
        _ list: CELText, _ arguments: [ScriptExpression]
    ) throws(ScriptFault) -> CELText {
        var parts = list.text == "[]" && !arguments.isEmpty ? [] : [list.within(.sum)]
        for argument in arguments {
            let text = try value(argument)
            switch text.kind {
            case .list: parts.append(text.within(.product))
            case .unknown:
                parts.append("(type(\(text.text)) == list ? \(text.text) : [\(text.text)])")
            default: parts.append("[\(text.text)]")
            }
        }
        return CELText(
            text: parts.joined(separator: " + "), binding: parts.count > 1 ? .sum : list.binding,
            kind: .list)
    }

    // MARK: Places

    /// Writes the place of an assignment: `a.b[0]`, without `context`.
    mutating func place(_ expression: ScriptExpression) throws(ScriptFault) -> String {
        switch expression.node {
        case .name(let name):
            // Names of the platform can't be assigned in either language: it fails when it runs.
            if name == "_event" { return "event" }
            if name.hasPrefix("_"), !scope.names.contains(name) { return "self" }
            return name
        case .member(let object, let name):
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

    private func unsupported(_ index: Int, _ message: String) -> ScriptFault {
        ScriptFault(kind: .unsupported, index: index, message: message)
    }
}
