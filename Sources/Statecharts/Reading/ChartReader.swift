import CEL
import OrderedJSON

/// Reads a definition into tables and finds all its problems.
struct ChartReader {
    /// A target to find once all states are known.
    struct PendingTarget {
        enum Holder {
            /// A transition, by number.
            case transition(Int)
            /// The initial or default transition of a state, by number.
            case initial(Int)
        }

        let holder: Holder
        let text: String
        let path: JSONPath
    }

    var draft = ChartDraft()
    var problems = ProblemList()
    var pending: [PendingTarget] = []
    /// The names of guards, with their conditions.
    var guards: [String: ChartExpression] = [:]
    var environment = CELEnvironment() { didSet { programs = [:] } }
    /// The expressions that were compiled in this environment, by type and text: those of one text
    /// share a program.
    var programs: [String: CELProgram] = [:]
    /// The same with the types of declared events, by event.
    var typedEnvironments: [String: CELEnvironment] = [:]
    /// The type of the context. All environments share it.
    private var contextType = CELType.dyn
    /// The types of its members, for warnings; nil without, and while expressions see another
    /// context.
    var contextTypes: ContextTypes?
    /// The parts of constant regular expressions that may still be compiled.
    var regexPartsLeft = ChartLimits.regexPartsMax
    var constantStepsLeft = ChartLimits.constantStepsMax
    /// The schema of the event whose transition is read.
    var eventSchema: EventSchema?
    /// The types of the events that the machine raises or sends to itself or others.
    var sent: Set<String> = []
    /// Expressions that call `in` with a constant name.
    var calls: [(state: String, path: JSONPath)] = []
    /// Whether the action that is read only tells something: a log, or an output.
    var isTold = false
    /// Inline machines around this one.
    let machineLevel: Int
    /// Whether the definition was accepted before: then nothing is looked for that probably isn't
    /// meant, and an expression is compiled when it is evaluated, if the tables don't depend on it.
    let wasAccepted: Bool

    /// Whether faults of expressions, locations and addresses are only warnings.
    var isLenient: Bool { draft.errors == .scxml }

    // MARK: Whole definitions

    /// Parses a definition's text.
    ///
    /// - Throws: ``ChartProblems`` with the fault of the text.
    static func json(_ bytes: [UInt8]) throws(ChartProblems) -> JSONValue {
        let limits = JSONLimits(
            depthMax: ChartLimits.definitionLevelsMax, bytesMax: ChartLimits.definitionBytesMax,
            valuesMax: ChartLimits.definitionValuesMax)
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, limits: limits)
        } catch {
            let before = bytes.prefix(error.offset)
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let isBlank = bytes.allSatisfy { " \t\r\n".utf8.contains($0) }
            let advice = MistakeAdvice.clause(forJSON: bytes, at: error.offset)
            var problem = ChartProblem(
                .error, "$",
                "this is no JSON: " + (isBlank ? "it is empty" : error.message + advice))
            problem.line = line
            problem.column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
            throw ChartProblems([problem])
        }
    }

    /// Reads a definition. If there are errors, the tables may be incomplete.
    static func read(
        _ json: JSONValue, at path: JSONPath = JSONPath(), wasAccepted: Bool = false
    ) -> (ChartDraft, [ChartProblem]) {
        var reader = ChartReader(machineLevel: 0, wasAccepted: wasAccepted)
        reader.readMachine(json, path)
        return (reader.draft, reader.problems.reported)
    }

    init(machineLevel: Int, wasAccepted: Bool) {
        self.machineLevel = machineLevel
        self.wasAccepted = wasAccepted
        contextTypes = wasAccepted ? nil : ContextTypes()
    }

    static let machineWords: Set<String> = [
        "$schema", "id", "version", "description", "errors", "strict", "events", "context",
        "guards", "output", "type", "initial", "states", "on", "always", "after", "onDone",
        "entry", "exit", "invoke", "defer", "tags", "migrates",
    ]

    mutating func readMachine(_ json: JSONValue, _ path: JSONPath) {
        guard let scan = DefinitionScan(json) else {
            problems.error(
                path,
                "the definition is nested deeper than \(ChartLimits.definitionLevelsMax) levels, "
                    + "or has more than \(ChartLimits.definitionValuesMax) values")
            return
        }
        guard let machine = json.object else {
            problems.error(path, "a definition is an object with 'states'")
            return
        }
        readErrorMode(machine["errors"], path.member("errors"))
        draft.contextNames = scan.loopNames
        for member in machine["context"]?.object ?? JSONObject() {
            draft.contextNames.insert(member.name)
        }
        contextType = CELEnvironment.contextType(draft.contextNames)
        environment = environment(event: .dyn)
        readGuards(machine["guards"], path.member("guards"))
        readHead(machine, path)
        readContext(machine["context"], path.member("context"))
        _ = readState(machine, key: "", parent: -1, level: 0, path)
        if let output = machine["output"] {
            draft.output = template(output, path.member("output"))
        }
        resolve()
        checkMigration(path.member("migrates"))
        for index in draft.states.indices { draft.states[index].on.sort() }
        if !wasAccepted, !problems.hasErrors {
            var checker = ChartChecker(draft, sent: sent)
            checker.check()
            for warning in checker.warnings { problems.warning(warning.path, warning.message) }
            for (path, message) in ContextOrder.faults(in: draft.context) {
                problems.warning(JSONPath(path), message)
            }
            checkContextTypes()
        }
    }

    private mutating func checkContextTypes() {
        for (path, fault) in contextTypes?.faults(names: draft.contextNames) ?? [] {
            problems.add(
                ChartProblem(
                    .warning, path.text,
                    "\(fault.message) (line \(fault.line), column \(fault.column)), if the context "
                        + "has the types of its initial values; null is any type",
                    expression: fault))
        }
    }

    /// The variables and functions of expressions.
    func environment(event: CELType) -> CELEnvironment {
        CELEnvironment(context: contextType, event: event)
    }

    // MARK: Members of the machine

    private mutating func readErrorMode(_ json: JSONValue?, _ path: JSONPath) {
        guard let json else { return }
        guard let mode = json.string.flatMap(Chart.ErrorMode.init) else {
            problems.error(path, "'errors' is \"fail\" (the default) or \"scxml\"")
            return
        }
        draft.errors = mode
    }

    private mutating func readHead(_ machine: JSONObject, _ path: JSONPath) {
        if let json = machine["id"] { readName(json, path.member("id")) }
        if let json = machine["version"] { readVersion(json, path.member("version")) }
        if let json = machine["migrates"] {
            draft.migration = migration(json, path.member("migrates"))
        }
        draft.isStrict = flag(machine["strict"], path.member("strict"))
        if let json = machine["events"] {
            if let events = json.object {
                readEvents(events, path.member("events"))
            } else {
                problems.error(
                    path.member("events"), "'events' is an object: a JSON Schema by event type")
            }
        }
    }

    private mutating func readName(_ json: JSONValue, _ path: JSONPath) {
        guard let text = json.string, ChartAddress.isMachineName(text) else {
            problems.error(
                path,
                "a machine's id is a letter and at most 63 letters, digits, '_', '.' or '-'")
            return
        }
        draft.name = text
    }

    private mutating func readEvents(_ events: JSONObject, _ path: JSONPath) {
        for event in events {
            let place = path.member(event.name)
            if let fault = DescriptorTable.fault(inType: event.name) {
                problems.error(place, fault)
            }
            guard event.value.object != nil else {
                problems.error(place, "a declared event is a JSON Schema, such as {}")
                continue
            }
            EventSchema.check(event.value, place) { problems.error($0, $1) }
        }
        draft.events = events
    }

    private mutating func readGuards(_ json: JSONValue?, _ path: JSONPath) {
        guard let json else { return }
        guard let object = json.object else {
            problems.error(path, "'guards' is an object: an expression by name")
            return
        }
        for member in object {
            guard let text = member.value.string else {
                problems.error(path.member(member.name), "a guard is an expression in a string")
                continue
            }
            guards[member.name] = expression(text, path.member(member.name), expecting: .bool)
        }
    }

    private mutating func readContext(_ json: JSONValue?, _ path: JSONPath) {
        guard let json else { return }
        guard let object = json.object else {
            problems.error(path, "'context' is an object: initial values by name")
            return
        }
        for member in object {
            let place = path.member(member.name)
            if Location.reserved.contains(member.name) {
                problems.warning(
                    place, "'\(member.name)' can't be assigned: give the member another name")
            }
            let value = literal(member.value, place)
            contextTypes?.declare(member.name, value)
            draft.context.append(
                Chart.Declaration(key: CELKey(member.name), value: value, path: place.text))
        }
    }

    // MARK: Small values

    /// A truth value; false if it is missing.
    mutating func flag(_ json: JSONValue?, _ path: JSONPath) -> Bool {
        guard let json else { return false }
        guard let value = json.bool else {
            problems.error(path, "this is true or false")
            return false
        }
        return value
    }

    /// The suggestion of a known name; none after many of them.
    mutating func hint(_ name: String, among known: some Collection<String>) -> String {
        guard problems.mayHint, known.count <= ChartLimits.suggestionNamesMax else { return "" }
        problems.countHint()
        return NearName.hint(name, among: known)
    }

    /// Reports a member that has no meaning here.
    mutating func unknown(_ name: String, among words: Set<String>, _ path: JSONPath) {
        var hint =
            MistakeAdvice.counterpart(of: name, among: words).map { "; did you mean '\($0)'?" }
            ?? self.hint(name, among: words)
        if hint.isEmpty, problems.mayHint {
            hint = ": write one of \(words.sorted().joined(separator: ", "))"
            problems.countHint()
        }
        problems.error(
            path.member(name), "'\(name)' is unknown here\(hint.isEmpty ? ": remove it" : hint)")
    }

    mutating func checkText(_ json: JSONValue, _ path: JSONPath) {
        if json.string == nil { problems.error(path, "this is a text") }
    }

    /// Reports a fault of an expression, location or address: a warning where errors are events.
    mutating func fault(_ path: JSONPath, _ message: String, expression: CELError? = nil) {
        problems.add(
            ChartProblem(
                isLenient ? .warning : .error, path.text, message, expression: expression))
    }
}

extension ChartReader {
    fileprivate mutating func readVersion(_ json: JSONValue, _ path: JSONPath) {
        if let text = json.string, wasAccepted || Self.isVersion(text) {
            draft.version = text
        } else {
            problems.error(
                path,
                "a version is a text such as \"1.0.0\": without controls, without blanks at its "
                    + "ends, and not with \"0+\" at its beginning, which those of the server have")
        }
    }

    private static func isVersion(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return false }
        return text.utf8.count <= ChartLimits.nameBytesMax
            && !text.utf8.starts(with: "0+".utf8)
            && !first.properties.isWhitespace && !last.properties.isWhitespace
            && scalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
