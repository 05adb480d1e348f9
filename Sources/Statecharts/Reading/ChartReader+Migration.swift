import CEL
import OrderedJSON

/// The member `migrates` of a definition.
extension ChartReader {
    static let migrationWords: Set<String> = ["states", "context"]

    /// Reads a migration apart from a definition.
    static func readMigration(_ json: JSONValue) -> (ChartMigration, [ChartProblem]) {
        var reader = ChartReader(machineLevel: 0, wasAccepted: false)
        let migration = reader.migration(json, JSONPath())
        return (migration, reader.problems.reported)
    }

    mutating func migration(_ json: JSONValue, _ path: JSONPath) -> ChartMigration {
        guard let object = json.object else {
            problems.error(path, "a migration is an object with 'states' and 'context'")
            return .same
        }
        for member in object where !Self.migrationWords.contains(member.name) {
            unknown(member.name, among: Self.migrationWords, path)
        }
        var states: [String: String] = [:]
        if let json = object["states"] {
            let place = path.member("states")
            if let names = json.object {
                for name in names {
                    if let state = name.value.string {
                        states[name.name] = state
                    } else {
                        problems.error(place.member(name.name), "this is the name of a state")
                    }
                }
            } else {
                problems.error(place, "'states' is an object: new states by former ones")
            }
        }
        return ChartMigration(
            states: states, context: migratedContext(object["context"], path.member("context")))
    }

    /// Reports new names of states that aren't in the definition, and members of the context that
    /// it doesn't declare.
    mutating func checkMigration(_ path: JSONPath) {
        guard let migration = draft.migration else { return }
        let table = ChildTable(draft.states)
        let place = path.member("states")
        for (former, state) in migration.states.sorted(by: { $0.key < $1.key })
        where draft.identifiers[state] == nil
            && table.state(atPath: state, in: draft.states) == nil
        {
            let hint = self.hint(state, among: draft.identifiers.keys)
            problems.warning(
                place.member(former), "the definition has no state '\(state)'\(hint)")
        }
        for member in migration.context {
            let name = ContextValue.text(of: member.key)
            guard !draft.contextNames.contains(name) else { continue }
            let hint = self.hint(name, among: draft.contextNames)
            problems.warning(
                path.member("context").member(name),
                "the context has no member '\(name)': declare it in context\(hint)")
        }
    }

    private mutating func migratedContext(
        _ json: JSONValue?, _ path: JSONPath
    ) -> [Template.Member] {
        guard let json else { return [] }
        guard let members = json.object else {
            problems.error(path, "'context' is an object: expressions by name")
            return []
        }
        // The former context may have any members.
        let own = (environment, contextTypes)
        (environment, contextTypes) = (Self.migrationEnvironment, nil)
        defer { (environment, contextTypes) = own }
        return templates(members, path)
    }

    private static let migrationEnvironment = CELEnvironment(
        variables: [
            .init("context", .dyn), .init("event", .dyn), .init("self", .dyn), .init("meta", .dyn),
            .init("now", .timestamp), .init("rand", .double),
        ], allowsMixedArithmetic: true)
}
