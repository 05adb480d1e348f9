import CEL
import OrderedJSON

/// The member `migrates` of a definition.
extension ChartReader {
    static let migrationWords: Set<String> = ["states", "context"]

    /// Reads a migration apart from a definition.
    static func readMigration(_ json: JSONValue) -> (ChartMigration, [ChartProblem]) {
        var reader = ChartReader(machineLevel: 0, lints: false)
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
