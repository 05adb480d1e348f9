import GroveWire

/// The one check of every request.
///
/// It stands after reading the line, and before anything is looked up or decoded to a machine's
/// type. It reads names and never data, so what exists and what doesn't are answered alike.
package enum Access {
    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - op: The op; an item of a `batch` is asked about as a `send`.
    ///   - question: Names and flags of the request.
    ///   - subject: Who asks.
    ///   - cache: The connection's memory of decisions.
    package static func decide(
        _ op: Op, _ question: AccessQuestion, for subject: AccessSubject,
        remembering cache: inout AccessCache
    ) -> AccessDecision {
        let requirement = op.requirement
        if requirement == .nothing { return .allowed }
        switch subject {
        // Whatever watches the process on this machine needs no token.
        case .nobody where requirement == .probe && question.isLocal: return .allowed
        case .nobody: return .unauthenticated
        case .everything: return .allowed
        case .principal(let table):
            guard let verb = missing(requirement, question, table, &cache) else {
                return .allowed
            }
            return .forbidden(verb)
        }
    }

    /// The first verb that the principal lacks.
    private static func missing(
        _ requirement: Requirement, _ question: AccessQuestion, _ table: GrantTable,
        _ cache: inout AccessCache
    ) -> Verb? {
        func lacks(
            _ verb: Verb, _ target: AccessTarget, _ eventType: UnsafeRawBufferPointer? = nil
        ) -> Bool {
            !cache.allows(verb, target, eventType: eventType, by: table)
        }
        let target = question.target
        switch requirement {
        case .nothing, .ownConnection, .filtered, .items, .askingInstance: return nil
        case .probe:
            let isFree = !question.wantsHealth || question.isLocal
            return isFree || table.verbs.contains(.admin) ? nil : .admin
        case .event: return lacks(.send, target, question.eventType) ? .send : nil
        case .target(let verb): return lacks(verb, target) ? verb : nil
        case .machine(let verb):
            let machine = AccessTarget(machine: target.machine, instance: nil)
            return lacks(verb, machine) ? verb : nil
        case .trial:
            if lacks(.read, target) { return .read }
            return lacks(.send, target, question.eventType) ? .send : nil
        case .server(let verb), .selection(let verb):
            return table.verbs.contains(verb) ? nil : verb
        }
    }
}
