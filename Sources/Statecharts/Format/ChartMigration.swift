import CEL
public import OrderedJSON

/// The way from states of an earlier version of a machine to those of another one.
public struct ChartMigration: Sendable {
    /// The states of the new version by those of the former one, where they differ.
    let states: [String: String]
    /// The members of the new context that don't have the same value as before. Expressions see the
    /// former context as `context`.
    let context: [Template.Member]

    /// Everything that has the same name stays.
    static let same = ChartMigration(states: [:], context: [])

    init(states: [String: String], context: [Template.Member]) {
        self.states = states
        self.context = context
    }

    /// Reads `{"states":{"paying":"billing"},"context":{"due":"context.total - context.paid"}}`.
    ///
    /// - Throws: ``ChartProblems`` with every problem.
    public init(_ json: JSONValue) throws(ChartProblems) {
        let (migration, problems) = ChartReader.readMigration(json)
        guard !problems.contains(where: { $0.severity == .error }) else {
            throw ChartProblems(problems)
        }
        self = migration
    }
}
