import GroveWire

/// The grants of one principal that matter for one machine.
struct MachineGrants {
    /// A grant whose machine part matches.
    private struct Rule {
        let verbs: VerbSet
        let isForAll: Bool
        let instances: Glob
        let eventTypes: [Glob]
    }

    private let name: [UInt8]
    /// The verbs of all rules together.
    let verbs: VerbSet
    /// The verbs that hold for every instance and every event.
    private let whole: VerbSet
    private let rules: [Rule]

    init(_ name: [UInt8], _ grants: [(grant: Grant, instances: Glob)]) {
        self.name = name
        rules = grants.filter { $0.grant.machine.matches(name) }.map { grant, instances in
            Rule(
                verbs: grant.verbs, isForAll: instances.matchesAll, instances: instances,
                eventTypes: grant.eventTypes)
        }
        verbs = rules.reduce(into: []) { $0.formUnion($1.verbs) }
        whole = rules.filter { $0.isForAll && $0.eventTypes.isEmpty }
            .reduce(into: []) { $0.formUnion($1.verbs) }
    }

    /// Whether these are the grants of the machine with this name.
    func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
        name.count == other.count && name.withUnsafeBytes { other.isPrefix(of: $0) }
    }

    /// Whether so few rules must be tried for a verb that remembering the result costs more.
    func isQuick(_ verb: Verb) -> Bool {
        rules.count <= GrantTable.quickRulesMax || whole.contains(verb) || !verbs.contains(verb)
    }

    /// As ``GrantTable/allows(_:_:_:eventType:)``, for this machine.
    func allows(
        _ verb: Verb, _ instance: UnsafeRawBufferPointer?, eventType: UnsafeRawBufferPointer?
    ) -> Bool {
        if whole.contains(verb) { return true }
        guard verbs.contains(verb) else { return false }
        return rules.withUnsafeBufferPointer { rules in
            for index in rules.indices where rules[index].verbs.contains(verb) {
                let includesName =
                    rules[index].isForAll
                    || (instance.map { rules[index].instances.matches($0) } ?? false)
                if includesName, Self.includes(eventType, rules[index].eventTypes) { return true }
            }
            return false
        }
    }

    private static func includes(_ type: UnsafeRawBufferPointer?, _ types: [Glob]) -> Bool {
        if types.isEmpty { return true }
        guard let type else { return false }
        for pattern in types where pattern.matches(type) { return true }
        return false
    }
}
