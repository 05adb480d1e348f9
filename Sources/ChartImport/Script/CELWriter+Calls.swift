extension CELWriter {
    mutating func call(
        _ function: ScriptExpression, _ arguments: [ScriptExpression], _ index: Int
    ) throws(ScriptFault) -> CELText {
        if case .member(let object, let name) = function.node {
            if object.name == "Math" { return try mathCall(name, arguments, index) }
            if object.name == "Array", name == "isArray", arguments.count == 1 {
                return isList(try value(arguments[0]))
            }
            return try method(object, name, arguments, function.index)
        }
        guard let name = function.name, arguments.count == 1, let argument = arguments.first else {
            throw unsupported(index, "this call has no counterpart in CEL")
        }
        switch name {
        case "In":
            guard case .string(let id) = argument.node else {
                return CELText(text: "in(\(try value(argument).text))", kind: .bool)
            }
            return CELText(
                text: "in(\(CELText.literal(scope.states[id] ?? id)))", kind: .bool)
        case "Boolean": return try truth(argument)
        case "String":
            if case .undefined = argument.node {
                return CELText(text: "'undefined'", kind: .string)
            }
            return CELText(text: string(try value(argument), index), kind: .string)
        default: return try numberCall(name, argument, index)
        }
    }

    private mutating func numberCall(
        _ name: String, _ argument: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        guard ["Number", "parseFloat", "parseInt", "isNaN"].contains(name) else {
            throw unsupported(index, "the function '\(name)' has no counterpart in CEL")
        }
        let text = try value(argument)
        if !text.kind.isNumber {
            note(index, "a value that is no number fails in '\(name)' here, and isn't NaN")
        }
        switch name {
        case "parseInt": return CELText(text: "int(\(text.text))", kind: .integer)
        case "isNaN": return CELText(text: "math.isNaN(double(\(text.text)))", kind: .bool)
        default: return CELText(text: "double(\(text.text))", kind: .number)
        }
    }

    private mutating func mathCall(
        _ name: String, _ arguments: [ScriptExpression], _ index: Int
    ) throws(ScriptFault) -> CELText {
        var texts: [CELText] = []
        for argument in arguments { texts.append(try number(argument, index)) }
        let list = texts.map(\.text).joined(separator: ", ")
        let isInteger = texts.allSatisfy { $0.kind == .integer }
        let kind: CELText.Kind = isInteger ? .integer : .number
        switch (name, arguments.count) {
        case ("random", 0): return CELText(text: "rand", kind: .number)
        case ("max", 1...): return CELText(text: "math.greatest(\(list))", kind: kind)
        case ("min", 1...): return CELText(text: "math.least(\(list))", kind: kind)
        case ("abs", 1): return CELText(text: "math.abs(\(list))", kind: kind)
        case ("round", 1):
            // CEL rounds -2.5 to -3, and ECMAScript to -2.
            return CELText(
                text: "math.floor(double(\(list)) + 0.5)", kind: .number)
        case ("floor", 1), ("ceil", 1), ("trunc", 1):
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
                binding: count == 1 ? texts[0].binding : .product, kind: kind)
        default: break
        }
        throw unsupported(index, "this use of 'Math.\(name)' has no counterpart in CEL")
    }

    // MARK: Methods

    /// Methods of strings that CEL has, with their names there.
    private static let methods:
        [String: (name: String, counts: ClosedRange<Int>, kind: CELText.Kind)] = [
            "startsWith": ("startsWith", 1...1, .bool), "endsWith": ("endsWith", 1...1, .bool),
            "indexOf": ("indexOf", 1...1, .integer),
            "lastIndexOf": ("lastIndexOf", 1...1, .integer),
            "toUpperCase": ("upperAscii", 0...0, .string),
            "toLowerCase": ("lowerAscii", 0...0, .string), "trim": ("trim", 0...0, .string),
            "split": ("split", 1...1, .list),
        ]

    private mutating func method(
        _ object: ScriptExpression, _ name: String, _ arguments: [ScriptExpression], _ index: Int
    ) throws(ScriptFault) -> CELText {
        let subject = object.isEventData ? eventValue : try value(object)
        switch (name, arguments.count) {
        case ("toString", 0): return CELText(text: string(subject, index), kind: .string)
        case ("concat", _) where subject.kind != .string: return try joined(subject, arguments)
        case ("charAt", 1): return character(subject, try number(arguments[0], index))
        case ("substring", 1...2): return try substring(subject, arguments, index)
        case ("join", 0...1): return try join(subject, arguments)
        case ("includes", 1): return try includes(subject, arguments[0])
        case ("indexOf", 1) where subject.kind == .list:
            return listIndex(subject, try value(arguments[0]))
        default: break
        }
        guard let method = Self.methods[name], method.counts ~= arguments.count else {
            throw unsupported(index, "the method '\(name)' has no counterpart in CEL")
        }
        if name == "indexOf" || name == "lastIndexOf", subject.kind != .string {
            generalNote(index, "'\(name)' fails here for a list")
        }
        if name.hasSuffix("Case") {
            generalNote(index, "'\(name)' changes the letters A to Z only")
        }
        var texts: [String] = []
        for argument in arguments { texts.append(try value(argument).text) }
        return CELText(
            text: "\(subject.within(.operand)).\(method.name)(\(texts.joined(separator: ", ")))",
            kind: method.kind)
    }

    /// A character of a string; an empty text where there is none.
    func character(_ subject: CELText, _ index: CELText) -> CELText {
        let text = subject.within(.operand)
        let isLiteral = index.kind == .integer && Int(index.text) != nil
        let least = isLiteral && !index.text.hasPrefix("-") ? "" : "\(index.within(.sum)) >= 0 && "
        let place = index.kind == .integer ? index.text : "int(\(index.text))"
        return CELText(
            text: "\(least)\(index.within(.sum)) < size(\(subject.text)) "
                + "? \(text).charAt(\(place)) : ''",
            binding: .conditional, kind: .string)
    }

    /// `substring`, which puts its places in order and within the text.
    private mutating func substring(
        _ subject: CELText, _ arguments: [ScriptExpression], _ index: Int
    ) throws(ScriptFault) -> CELText {
        var places: [String] = []
        var constants: [Double] = []
        for argument in arguments {
            if case .number(let value) = argument.node { constants.append(value) }
            let text = try number(argument, index)
            let whole = text.kind == .integer ? text.text : "int(\(text.text))"
            var place = "math.least(\(whole), size(\(subject.text)))"
            if case .number(let value) = argument.node {
                if value == 0 { place = "0" }
            } else {
                place = "math.greatest(\(place), 0)"
            }
            places.append(place)
        }
        if constants.count == 2 {
            if constants[0] > constants[1] { places.reverse() }
        } else if places.count == 2 {
            let list = places.joined(separator: ", ")
            places = ["math.least(\(list))", "math.greatest(\(list))"]
        }
        return CELText(
            text: "\(subject.within(.operand)).substring(\(places.joined(separator: ", ")))",
            kind: .string)
    }

    private mutating func join(
        _ list: CELText, _ arguments: [ScriptExpression]
    ) throws(ScriptFault) -> CELText {
        let separator = try arguments.first.map { (one) throws(ScriptFault) in try value(one).text }
        return CELText(
            text: "\(list.within(.operand)).map(v, v == null ? '' : '%s'.format([v]))"
                + ".join(\(separator ?? "','"))",
            kind: .string)
    }

    private mutating func includes(
        _ subject: CELText, _ argument: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        let element = try value(argument)
        let inList = "\(element.within(.sum)) in \(subject.within(.sum))"
        let inText = "\(subject.within(.operand)).contains(\(element.text))"
        switch subject.kind {
        case .list: return CELText(text: inList, binding: .relation, kind: .bool)
        case .string: return CELText(text: inText, kind: .bool)
        default:
            return CELText(
                text: "type(\(subject.text)) == list ? \(inList) : \(inText)",
                binding: .conditional, kind: .bool)
        }
    }

    private func listIndex(_ list: CELText, _ element: CELText) -> CELText {
        let (all, one) = (list.within(.operand), element.within(.sum))
        return CELText(
            text: "\(one) in \(list.within(.sum)) "
                + "? \(all).transformList(i, v, v == \(one), i)[0] : -1",
            binding: .conditional, kind: .integer)
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
}
