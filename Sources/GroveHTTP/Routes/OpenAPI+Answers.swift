import GroveWire
import OrderedJSON

extension OpenAPI {
    /// The body of a route's success, for each type that it may have.
    static func answers(of route: HTTPRoute) -> [(type: String, schema: JSONSchema?)] {
        switch route.action {
        case .op(let op): [("application/json", answer(of: op, route))]
        case .greeting: [("application/json", .object(greeting))]
        case .live: [("application/json", health("live", true))]
        case .ready: [("application/json", health("ready", true))]
        case .openAPI: [("application/json", .object([]))]
        case .records:
            [
                (
                    "text/event-stream",
                    JSONSchema.text.described(
                        "data of an event is a Record, or of the event mark a Mark")
                ),
                (
                    "application/x-ndjson",
                    JSONSchema.text.lines(of: .oneOf([.of(.record), .of(.mark)]))
                ),
            ]
        case .metrics, .errorPage: [("text/plain", .text)]
        case .diagram: [("image/svg+xml", .text)]
        case .backup: [("application/vnd.sqlite3", nil)]
        case .console: [("text/html", .text)]
        case .asset: [("*/*", nil)]
        case .socket, .preflight: []
        }
    }

    /// The answer of `/healthz` and `/readyz`.
    static func health(_ word: String, _ isHealthy: Bool) -> JSONSchema {
        .object([JSONMember(word, .only(isHealthy))])
    }

    /// The answer to a `PUT` whose key was used before.
    static let repeated = JSONSchema.object(
        created.map { $0.name == "dup" ? JSONMember("dup", $0.schema, $0.meaning) : $0 })

    private static func answer(of op: Op, _ route: HTTPRoute) -> JSONSchema {
        switch op {
        case .accounts: route.body == .none ? principals : .oneOf([principals, changes])
        case .audit:
            page(of: .of(.auditEntry), next: .integer(from: 1))
        case .await, .get: .of(.instance)
        case .batch: .object([JSONMember("results", .list(of: .oneOf(results)))])
        case .can: .oneOf(possible)
        case .cancel:
            .object([JSONMember("cancelled", .list(of: .integer(from: 1)), "numbers"), cursor])
        case .complete, .retry: .object([]).described("nothing more")
        case .create: .object(created.filter { $0.name != "dup" })
        case .define: .object(defined)
        case .definitions: .object([JSONMember("items", .list(of: .of(.machine)))])
        case .delete, .stop: .object([JSONMember("v", .of(.version)), cursor])
        case .describe: .of(.machineDescription)
        case .effects: page(of: .of(.effect), next: .text)
        case .history:
            page(
                of: .of(.step), next: .of(.version),
                JSONMember(
                    "first?", .of(.version), "the first version that is held, if it is later"))
        case .import, .send: .of(.applied)
        case .list: page(of: .of(.instanceItem), next: .text)
        case .migrate: .object(migrated)
        case .prune: .object(pruned)
        case .reload: .object(reloaded)
        case .resume, .suspend:
            .object(
                (route.isOfInstance ? [JSONMember("v", .of(.version))] : [])
                    + [cursor, JSONMember("changed", .flag)])
        case .stats: .oneOf([.map(of: .integer), .object(series)])
        case .token: .oneOf([.object(token), changes])
        case .undefine:
            .object([JSONMember("instances", .count, "those for which the machine stays")])
        case .auth, .backup, .credit, .hello, .ping, .subscribe, .unsubscribe:
            preconditionFailure("\(op.rawValue) has no route of its own")
        }
    }

    private static let cursor = JSONMember("cur", .of(.cursor))

    private static func page(
        of item: JSONSchema, next: JSONSchema, _ more: JSONMember...
    ) -> JSONSchema {
        .object(
            [
                JSONMember("items", .list(of: item)),
                JSONMember("next?", next, "there is more: after, for the next page"),
            ] + more)
    }

    private static let greeting: [JSONMember] = [
        JSONMember("server", .text),
        JSONMember("version", .text),
        JSONMember("proto", .list(of: .integer(from: 1))),
        JSONMember("node", .text),
        JSONMember("auth_required", .flag),
        JSONMember("writes?", .only(false), "the address only reads"),
        JSONMember("features", .list(of: .text)),
        JSONMember("max_line", .count, "bytes of a body, too"),
        JSONMember("max_inflight", .count),
        JSONMember("max_pending", .count),
        JSONMember("heartbeat_ms", .count),
        JSONMember("time", .of(.time)),
    ]

    // MARK: Instances

    private static let created: [JSONMember] = [
        JSONMember("v", .only(0)), cursor,
        JSONMember("state?", .any, "missing where a repeat no longer finds it"),
        JSONMember("outputs?", .list(of: .any)),
        JSONMember("done?", .only(true)),
        JSONMember("dup?", .only(true), "the key was used before"),
    ]

    private static let possible: [JSONSchema] = [
        .object([JSONMember("can", .only(true)), JSONMember("state", .any, "after the event")]),
        .object([
            JSONMember("can", .only(false)),
            JSONMember("accepts", .list(of: .text), "events that it would take, if known"),
            JSONMember("reason?", .text),
        ]),
    ]

    private static let results: [JSONSchema] = [
        .object([JSONMember("ok", .only(true))] + SchemaMembers.appliedInBatch),
        .object([JSONMember("error", .of(.error))]),
    ]

    private static let migrated: [JSONMember] = [
        JSONMember("v", .of(.version)), cursor,
        JSONMember("changed", .flag),
        JSONMember("state", .any),
        JSONMember("definition", .of(.definition)),
        JSONMember("starts?", .list(of: .text), "ids of effects"),
        JSONMember("stops?", .list(of: .text), "ids of effects"),
        JSONMember(
            "renames?",
            .list(of: .object([JSONMember("from", .text), JSONMember("to", .text)])),
            "effects that continue under another id"),
        JSONMember(
            "unknown?", .list(of: .text),
            "former states of the plan that its version doesn't have"),
    ]

    // MARK: Machines

    private static let defined: [JSONMember] =
        SchemaMembers.definition + [
            JSONMember("changed", .flag),
            JSONMember("present?", .text, "the version for new instances, if it is later"),
            JSONMember("warnings?", .list(of: .of(.definitionProblem))),
        ]

    private static let pruned: [JSONMember] = [
        JSONMember("removed", .list(of: .text), "versions"),
        JSONMember(
            "kept",
            .list(of: .object([JSONMember("version", .text), JSONMember("instances", .count)]))),
    ]

    // MARK: The server

    private static let reloaded: [JSONMember] = [
        JSONMember("changed", .list(of: .text), "keys"),
        JSONMember("needs_restart?", .list(of: .text), "keys"),
    ]

    private static let series: [JSONMember] = [
        JSONMember("every_ms", .integer(from: 1)),
        JSONMember("until", .of(.time), "of the newest point"),
        JSONMember(
            "series", .map(of: .list(of: JSONSchema.integer.orNull)), "by name, oldest first"),
    ]

    private static let principals = page(of: .of(.principal), next: .of(.principalName))
    private static let changes = JSONSchema.object([
        JSONMember("changes", .list(of: .text), "for people; empty if nothing differs")
    ])

    private static let token: [JSONMember] = [
        JSONMember("token", .text, "shown here only"),
        JSONMember("token_id", .of(.tokenID)),
        JSONMember("principal", .of(.principalName)),
        JSONMember("expires?", .of(.time)),
    ]
}
