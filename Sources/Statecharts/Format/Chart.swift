import CEL
public import OrderedJSON

/// A compiled definition of a machine: tables for the interpreter.
///
/// States have numbers in document order, so the descendants of a state are a range of numbers.
/// State 0 is the machine itself. A chart never changes, and any number of instances share it.
public final class Chart: Sendable {
    /// The meaning of a failing expression.
    public enum ErrorMode: String, Sendable {
        /// The event fails, and nothing is committed.
        case fail
        /// The failure is an event, as in SCXML 3.13 and 5.9.
        case scxml
    }

    /// A member of the context with its initial value.
    struct Declaration: Sendable {
        let key: CELKey
        let value: Literal
        let path: String
    }

    /// The machine's name; nil for a machine that has none, such as an inline one.
    public let name: String?
    /// The author's version.
    public let version: String
    /// The meaning of a failing expression.
    public let errors: ErrorMode
    /// Whether an event that no transition takes is rejected.
    public let isStrict: Bool
    /// The JSON Schemas of the declared events by type, in the definition's order.
    public let events: JSONObject
    /// Problems that don't prevent the use.
    public let warnings: [ChartProblem]

    let states: [StateNode]
    let transitions: [Transition]
    let invocations: [InvokePlan]
    let context: [Declaration]
    /// The members of the context, declared or made by loops.
    let contextNames: Set<String>
    let output: Template?
    /// The way from earlier versions, if the definition says one.
    let migration: ChartMigration?
    let descriptors: DescriptorTable
    let identifiers: [String: Int32]
    let children: ChildTable
    /// Whether a state has transitions without an event.
    let hasEventless: Bool
    /// Whether a state is parallel.
    let hasRegions: Bool
    /// Whether an expression uses `meta`.
    let usesMeta: Bool
    /// Whether an expression uses `self`.
    let usesSelf: Bool
    /// What differs from step to step and is part of an expression that decides or is stored:
    /// `now`, `rand`, `self.v`. Logs and outputs don't count, they change nothing.
    public let unsteadyNames: Set<String>

    init(_ draft: ChartDraft, warnings: [ChartProblem]) {
        name = draft.name
        version = draft.version
        errors = draft.errors
        isStrict = draft.isStrict
        events = draft.events
        self.warnings = warnings
        states = draft.states
        transitions = draft.transitions
        invocations = draft.invocations
        context = draft.context
        contextNames = draft.contextNames
        output = draft.output
        migration = draft.migration
        descriptors = draft.descriptors
        identifiers = draft.identifiers
        children = ChildTable(draft.states)
        hasEventless = draft.states.contains { !$0.always.isEmpty }
        hasRegions = draft.states.contains { $0.kind == .parallel }
        usesMeta = draft.usesMeta
        usesSelf = draft.usesSelf
        unsteadyNames = draft.unsteadyNames
    }

    /// Reads and compiles a definition.
    ///
    /// - Parameter bytes: JSON, at most ``ChartLimits/definitionBytesMax`` bytes.
    /// - Throws: ``ChartProblems`` with every problem, if there is an error.
    public convenience init(parsing bytes: [UInt8]) throws(ChartProblems) {
        let (draft, found) = ChartReader.read(try ChartReader.json(bytes))
        let problems = found.placed(in: bytes)
        guard !problems.contains(where: { $0.severity == .error }) else {
            throw ChartProblems(problems)
        }
        self.init(draft, warnings: problems)
    }

    /// Parses a definition's text within the bounds of definitions.
    ///
    /// - Throws: ``ChartProblems`` with the fault of the text.
    public static func json(parsing bytes: [UInt8]) throws(ChartProblems) -> JSONValue {
        try ChartReader.json(bytes)
    }

    /// Reads and compiles a definition.
    ///
    /// - Parameter wasAccepted: Whether the definition was accepted before. Then nothing is looked
    ///   for that is allowed and probably isn't meant, and most expressions are compiled when they
    ///   are first evaluated: together that is most of the time. An expression that this release
    ///   doesn't read any more fails when it is evaluated.
    /// - Throws: ``ChartProblems`` with every problem, if there is an error.
    public convenience init(
        _ json: JSONValue, wasAccepted: Bool = false
    ) throws(ChartProblems) {
        let (draft, problems) = ChartReader.read(json, wasAccepted: wasAccepted)
        guard !problems.contains(where: { $0.severity == .error }) else {
            throw ChartProblems(problems)
        }
        self.init(draft, warnings: problems)
    }

    /// The machines that the chart invokes by name, sorted.
    public var machines: [String] {
        sources { if case .machine(let name) = $0 { name } else { nil } }
    }

    /// The handlers that the chart invokes by name, sorted; without `http`.
    public var handlers: [String] {
        sources { if case .handler(let name) = $0 { name } else { nil } }
    }

    private func sources(_ name: (InvokePlan.Source) -> String?) -> [String] {
        Set(invocations.compactMap { name($0.source) }).sorted()
    }
}
