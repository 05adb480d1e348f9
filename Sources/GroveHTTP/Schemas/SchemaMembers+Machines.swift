/// Machines, accounts, and what streams have.
extension SchemaMembers {
    private static let known = JSONMember("takes?", .list(of: .of(.takenEvent)), "its events")

    static let machine: [JSONMember] =
        definition + [
            held,
            JSONMember(
                "counts?",
                .object([
                    JSONMember("instances", .count), JSONMember("done", .count),
                    JSONMember("failed", .count, "effects"),
                    JSONMember("asking", .count, "effects"),
                ]), "if asked for"),
            known,
        ]

    static let takenEvent: [JSONMember] = [
        JSONMember("type", .text),
        JSONMember(
            "members?",
            .list(
                of: .object([
                    JSONMember("name", .text),
                    JSONMember("is?", .text, "the type in words"),
                    JSONMember("optional?", .only(true)),
                ]))),
        JSONMember("internal?", .only(true), "only the machine sends it"),
    ]

    static let machineDescription: [JSONMember] =
        definition + [
            JSONMember("states", .list(of: .text)),
            JSONMember("events", .list(of: .text)),
            known,
            JSONMember("transitions", .list(of: .object(transition))),
            JSONMember("diagram", .text, "in the format that was asked for"),
            JSONMember(
                "graph",
                .object([
                    JSONMember("nodes", .list(of: .object(node))),
                    JSONMember("edges", .list(of: .object(edge))),
                ])),
            JSONMember("examples", .map(of: .list(of: .any)), "events by their name"),
            JSONMember("partial?", .only(true), "there is more than is shown"),
        ]

    private static let transition: [JSONMember] = [
        JSONMember("from", .text), JSONMember("event", .text), JSONMember("to", .text),
        JSONMember("observed?", .only(true), "known only from the journal"),
    ]

    private static let node: [JSONMember] = [
        JSONMember("id", .text),
        JSONMember("parent?", .text),
        JSONMember("kind", .word(ProtocolWords.nodeKinds)),
        JSONMember("label", .text),
        JSONMember("initial?", .only(true)),
        JSONMember("active?", .only(true)),
    ]

    private static let edge: [JSONMember] = [
        JSONMember("id", .text),
        JSONMember("from", .text),
        JSONMember("to", .text),
        JSONMember("event?", .text),
        JSONMember("guard?", .text),
        JSONMember("kind", .word(ProtocolWords.edgeKinds)),
    ]

    static let definitionProblem: [JSONMember] = [
        JSONMember("path", .text), JSONMember("message", .text),
        JSONMember("severity", .word(["error", "warning"])),
    ]

    static let auditEntry: [JSONMember] = [
        JSONMember("n", .integer(from: 1)),
        JSONMember("time", .of(.time)),
        JSONMember("by", .text, "the principal"),
        JSONMember("from", .text, "where it came from"),
        JSONMember("changes", .list(of: .text)),
        JSONMember("hash", .text, "SHA-256 of the hash before it and the entry"),
    ]

    // MARK: Streams

    /// What became of an instance: output, state, effect, lifecycle, trace, or the state of a
    /// snapshot.
    static let record = JSONSchema.oneOf([
        record("output", [JSONMember("type?", .text, "its name"), JSONMember("data", .any)]),
        record("state", states),
        record("effect", [JSONMember("data", .of(.effectChange))]),
        record(
            "lifecycle",
            [
                JSONMember("lifecycle", .word(ProtocolWords.lifecycles)),
                JSONMember("reason?", .text),
            ]),
        record(
            "trace",
            [JSONMember("event", .any)] + states + [
                JSONMember("outputs", .list(of: .any)),
                JSONMember("effects", .list(of: .of(.effectChange))),
            ]),
        .object([
            JSONMember("to", .of(.instanceName)), JSONMember("v", .of(.version)),
            JSONMember("kind", .only("state")), JSONMember("snapshot", .only(true)),
            JSONMember("after", .any), JSONMember("done?", .only(true)),
            JSONMember("at", .of(.time)),
        ]),
    ])

    static let cause: [JSONMember] = [
        JSONMember("event?", .text, "its name"), JSONMember("dedup?", .of(.dedupKey)),
        JSONMember("traceparent?", .of(.trace)),
        JSONMember("by?", .text, "the principal, for those who may manage the instance"),
    ]

    private static let states = [
        JSONMember("before?", .any, "null at a creation"), JSONMember("after?", .any),
    ]

    private static func record(_ kind: String, _ members: [JSONMember]) -> JSONSchema {
        let first = [
            JSONMember("cur", .of(.cursor)),
            JSONMember("to", .text, "the instance, or machine/* for a whole machine"),
            JSONMember("v", .of(.version)), JSONMember("kind", .only(kind)),
        ]
        return .object(
            first + members + [JSONMember("cause?", .of(.cause)), JSONMember("at", .of(.time))])
    }

    /// What a stream says about itself.
    static let mark = JSONSchema.oneOf([
        .object([
            JSONMember("cur", .of(.cursor)),
            JSONMember("mark", .word(["live", "snapshot", "checkpoint"])),
        ]),
        .object([
            JSONMember("cur", .of(.cursor)), JSONMember("mark", .only("gap")),
            JSONMember("from", .of(.cursor)), JSONMember("to", .of(.cursor)),
            JSONMember("reason", .only("retention")),
        ]),
    ])
}
