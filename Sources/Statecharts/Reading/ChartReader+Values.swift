import CEL
import OrderedJSON

extension ChartReader {
    // MARK: Expressions

    /// Reads an expression and reports its faults.
    mutating func expression(
        _ text: String, _ path: JSONPath, expecting type: CELType = .dyn, isValue: Bool = false
    ) -> ChartExpression {
        draft.usesMeta = draft.usesMeta || text.mentions("meta")
        draft.usesSelf = draft.usesSelf || text.mentions("self")
        if !isTold { draft.unsteadyNames.formUnion(UnsteadyName.names(in: text)) }
        let names = InCall.names(in: text)
        for name in names.constants { calls.append((name, path)) }
        do throws(CELErrors) {
            let program = try program(text, expecting: type)
            if !wasAccepted, let fault = program.constantRegexFault {
                problems.warning(path, "the regular expression is wrong: \(fault)")
            }
            contextTypes?.use(text, path, event: environment.eventType, expecting: type)
            return ChartExpression(text, program, path: path.text, callsIn: names.isCalled)
        } catch {
            if let program = withUndeclaredMembers(text, path, expecting: type) {
                return ChartExpression(text, program, path: path.text, callsIn: names.isCalled)
            }
            for problem in error.all {
                let advice = MistakeAdvice.clause(
                    for: problem, in: text, members: draft.contextNames, isValue: isValue,
                    isCondition: type == .bool)
                fault(
                    path,
                    "\(problem.message)\(advice) (line \(problem.line), column "
                        + "\(problem.column) of the expression)",
                    expression: problem)
            }
            // Where faults are events, the expression may still have a value.
            let program =
                isLenient ? try? compile(text, environment, checksTypes: false) : nil
            return ChartExpression(
                text, program, fault: error.first.message, path: path.text, callsIn: names.isCalled)
        }
    }

    /// Compiles an expression within the bounds of the whole definition.
    private mutating func compile(
        _ text: String, _ environment: CELEnvironment, expecting type: CELType = .dyn,
        checksTypes: Bool = true
    ) throws(CELErrors) -> CELProgram {
        var environment = environment
        environment.suggestsNames = problems.mayHint
        environment.constantRegexPartsMax = max(0, regexPartsLeft)
        environment.constantStepsMax = min(environment.constantStepsMax, max(0, constantStepsLeft))
        do throws(CELErrors) {
            let program = try environment.compile(
                text, expecting: type, checksTypes: checksTypes)
            regexPartsLeft -= program.constantRegexParts
            constantStepsLeft -= program.constantSteps
            return program
        } catch {
            problems.countHint()
            throw error
        }
    }

    /// Whether a text is an expression without a fault.
    mutating func isExpression(_ text: String) -> Bool {
        // Only whether there is a fault counts here.
        (try? wasAccepted ? compile(text, environment) : program(text, expecting: .dyn)) != nil
    }

    /// Compiles an expression, unless one of the same text is there; one that was accepted before
    /// is compiled later, if it can be.
    private mutating func program(
        _ text: String, expecting type: CELType
    ) throws(CELErrors) -> CELProgram {
        let key = "\(type.name) \(text)"
        if let known = programs[key] { return known }
        let program =
            try canWait(text)
            ? environment.deferred(text) : compile(text, environment, expecting: type)
        programs[key] = program
        return program
    }

    /// Whether nothing but the evaluation needs an expression compiled. Constants are parts of the
    /// tables, and the regular expressions of a definition have a bound in its order.
    private func canWait(_ text: String) -> Bool {
        wasAccepted && environment.namesVariable(in: text) && !text.mentions("matches")
    }

    /// Compiles an expression that selects members which its event doesn't declare but may have:
    /// each is a warning. Nil if that isn't its only fault.
    private mutating func withUndeclaredMembers(
        _ text: String, _ path: JSONPath, expecting type: CELType
    ) -> CELProgram? {
        guard let schema = eventSchema, schema.isOpen else { return nil }
        let names = schema.undeclared(in: text)
        guard !names.isEmpty else { return nil }
        let open = environment(event: schema.eventType(also: names))
        guard let program = try? compile(text, open, expecting: type) else { return nil }
        contextTypes?.use(
            text, path, event: schema.eventType(also: names), expecting: type)
        for name in names.sorted() {
            problems.warning(path, "the event doesn't declare the member '\(name)'")
        }
        return program
    }

    /// Reads a condition: the name of a guard, an expression, or a truth value.
    mutating func condition(_ json: JSONValue, _ path: JSONPath) -> ChartExpression? {
        switch json {
        case .bool(let value): return expression(value ? "true" : "false", path, expecting: .bool)
        case .string(let text):
            if let found = guards[text] { return found }
            if JSONPath.isIdentifier(text), text != "true", text != "false" {
                let hint = self.hint(text, among: guards.keys)
                if !hint.isEmpty { problems.warning(path, "there is no guard '\(text)'\(hint)") }
            }
            return expression(text, path, expecting: .bool)
        default:
            problems.error(path, "a guard is the name of one in 'guards', or an expression")
            return nil
        }
    }

    // MARK: Templates

    /// Reads a value in an expression position: a string is an expression, an object or list a
    /// template of such, and anything else stands for itself.
    mutating func template(_ json: JSONValue, _ path: JSONPath) -> Template {
        switch json {
        case .string(let text):
            let found = expression(text, path, isValue: true)
            // What waits isn't constant.
            if let program = found.program, program.isCompiled, let constant = program.constant,
                let (value, _) = try? ContextValue.normalized(constant)
            {
                return .constant(value)
            }
            return .expression(found)
        case .array(let elements):
            let parts = elements.enumerated().map { template($0.element, path.element($0.offset)) }
            let constants = parts.compactMap(\.constant)
            return constants.count == parts.count ? .constant(.list(constants)) : .list(parts)
        case .object(let object): return .map(templates(object, path))
        default: return .constant(CELValue(json))
        }
    }

    /// Reads the members of a template, except for `type` of an event.
    mutating func templates(
        _ object: JSONObject, _ path: JSONPath, without excluded: String? = nil
    ) -> [Template.Member] {
        var members: [Template.Member] = []
        for member in object where member.name != excluded {
            members.append(
                Template.Member(
                    key: CELKey(member.name),
                    value: template(member.value, path.member(member.name))))
        }
        return members
    }

    // MARK: Literals

    /// Reads a value in a literal position: itself, or computed by `{"expr":"…"}`.
    mutating func literal(_ json: JSONValue, _ path: JSONPath) -> Literal {
        if let object = json.object, object.count == 1, let text = object["expr"]?.string {
            return .computed(expression(text, path.member("expr")))
        }
        return .constant(CELValue(json))
    }

    /// Reads a text in a literal position.
    ///
    /// - Parameter noun: The value in words, for messages: `an event's type`.
    mutating func text(_ json: JSONValue, _ path: JSONPath, _ noun: String) -> Literal? {
        let value = literal(json, path)
        switch value {
        case .computed, .constant(.string): return value
        default:
            problems.error(path, "\(noun) is a text, or {\"expr\":\"…\"}")
            return nil
        }
    }

    static let noDelay = "this is no delay: write \"30s\", \"500ms\", \"PT5M\" or milliseconds"

    /// Reads a delay: a text with units, milliseconds, or computed.
    mutating func delay(_ json: JSONValue, _ path: JSONPath) -> Literal? {
        let value = literal(json, path)
        switch value {
        case .computed: return value
        case .constant(let constant):
            guard ContextValue.milliseconds(constant) == nil else { return value }
            fault(path, Self.noDelay)
            return isLenient ? value : nil
        }
    }

    /// Reads an event or output to make: its type, or an object with `type` and members.
    ///
    /// - Parameter isOutput: An output is no event: names that the server keeps for itself mean
    ///   nothing there.
    mutating func eventTemplate(
        _ json: JSONValue, _ path: JSONPath, isOutput: Bool = false
    ) -> Action.EventTemplate? {
        if let type = json.string {
            checkType(type, path, isOutput: isOutput)
            return Action.EventTemplate(type: .constant(.string(type)), members: [])
        }
        guard let object = json.object, let json = object["type"] else {
            let noun = isOutput ? "an output" : "an event"
            problems.error(
                path,
                "\(noun) is its type, or an object with 'type' and members such as "
                    + "{\"type\":\"paid\",\"by\":\"event.card\"}")
            return nil
        }
        guard let type = text(json, path.member("type"), "an event's type") else { return nil }
        if let text = type.text { checkType(text, path.member("type"), isOutput: isOutput) }
        if !isOutput, object[ChartEvent.metaName] != nil {
            problems.error(path.member(ChartEvent.metaName), "only the server sets this member")
        }
        return Action.EventTemplate(
            type: type, members: templates(object, path, without: "type"))
    }

    private mutating func checkType(_ type: String, _ path: JSONPath, isOutput: Bool) {
        if let fault = DescriptorTable.fault(inType: type) { problems.error(path, fault) }
        if !isOutput, ChartEvent.isReserved(type) {
            problems.error(path, "only the server sends events named '\(type)'")
        }
    }

    /// Reads a location in the context.
    mutating func location(_ text: String, _ path: JSONPath) -> Location {
        let names = draft.contextNames
        let found = Location(text) { names.contains($0) }
        if let fault = found.fault {
            let root = String(text.prefix { $0 != "." && $0 != "[" })
            self.fault(path, fault + (names.contains(root) ? "" : self.hint(root, among: names)))
        }
        return found
    }

    /// Reads the id of a send or invocation.
    mutating func identifier(_ json: JSONValue, _ path: JSONPath) -> Action.Identifier? {
        if let object = json.object, object.count == 1, let text = object["assign"]?.string {
            let location = location(text, path.member("assign"))
            contextTypes?.assignID(at: location)
            return .made(location)
        }
        return text(json, path, "an id").map { .given($0) }
    }
}
