import GroveWire

extension HTTPRoute {
    /// All routes. No two have the same method for a path.
    package static let all: [HTTPRoute] = server + machines + instances + instance + work + accounts

    /// The ops without a route, and why.
    static let opsWithoutRoute: [Op: String] = [
        .hello: "the greeting is GET /v1, and a token stands in Authorization",
        .auth: "a token stands in Authorization",
        .ping: "health is /healthz and /readyz",
        .credit: "a stream is as fast as its client reads; WebSocket has it",
        .unsubscribe: "a stream ends with its connection; WebSocket has it",
    ]

    private static let one = "/v1/instances/{machine}/{name}"
    private static let page = [
        HTTPParameter("after", .text, "the next of the page before"),
        HTTPParameter(
            "limit", .integer, "items of a page; 100 by default",
            range: 1...ProtocolLimits.pageItemsMax),
    ]
    private static let selection = [
        HTTPParameter(
            "kind", .words(ProtocolWords.recordKinds),
            "kinds of records", member: "select.kind"),
        HTTPParameter("type", .text, "a pattern for output names", member: "select.type"),
        HTTPParameter("from", .start, "where to begin: now, first, last:N or a cursor"),
        HTTPParameter("snapshot", .flag, "present states first"),
        HTTPParameter(
            "format", .word(["events", "lines"]),
            "events for EventSource, or lines of JSON", member: ""),
    ]

    private static let server: [HTTPRoute] = [
        HTTPRoute(.get, "/v1", .greeting, "the greeting of the server", isPublic: true),
        HTTPRoute(.get, "/v1/socket", .socket, "the line protocol over WebSocket", isPublic: true),
        HTTPRoute(
            .get, "/v1/stats", .op(.stats), "counters, gauges and histograms",
            query: [
                HTTPParameter(
                    "series", .word(SeriesStep.allCases.map(\.rawValue)),
                    "instead numbers over time: of each second, or of each ten seconds")
            ]),
        HTTPRoute(.get, "/metrics", .metrics, "the same for Prometheus"),
        HTTPRoute(
            .get, "/healthz", .live, "200 while commits return, else 503", isPublic: true),
        HTTPRoute(
            .get, "/readyz", .ready, "200 while events can be accepted, else 503", isPublic: true),
        HTTPRoute(
            .get, "/v1/openapi.json", .openAPI, "this list as OpenAPI 3.1", isPublic: true),
        HTTPRoute(
            .get, "/v1/errors/{code}", .errorPage, "what an error code means", isPublic: true),
        HTTPRoute(.post, "/v1/reload", .op(.reload), "reads the configuration again"),
        HTTPRoute(.post, "/v1/backup", .backup, "copies all data: the answer is a data file"),
        HTTPRoute(.get, "/", .console, "the console", isPublic: true),
        HTTPRoute(
            .get, "/assets/{hash}/{file}", .asset, "a file of the console", isPublic: true),
    ]

    private static let machines: [HTTPRoute] = [
        HTTPRoute(
            .get, "/v1/machines", .op(.definitions), "lists the machines",
            query: [
                HTTPParameter(
                    "counts", .flag,
                    "also the numbers of instances, done ones, failed effects and open questions")
            ]),
        HTTPRoute(
            .post, "/v1/machines", .op(.define), "adds a version of a machine as data",
            body: .requiredMembers),
        HTTPRoute(
            .get, "/v1/machines/{machine}", .op(.describe), "describes a machine",
            query: [
                HTTPParameter(
                    "format", .word(ProtocolWords.diagramFormats), "the language of the diagram")
            ]),
        HTTPRoute(
            .get, "/v1/machines/{machine}/diagram.svg", .diagram,
            "draws a machine's states and transitions as an image", conditions: [.cached]),
        HTTPRoute(
            .delete, "/v1/machines/{machine}", .op(.undefine), "removes a machine as data"),
        HTTPRoute(
            .post, "/v1/machines/{machine}/prune", .op(.prune),
            "removes the versions of a machine as data that no instance has"),
        HTTPRoute(
            .post, "/v1/machines/{machine}/suspend", .op(.suspend),
            "makes all instances of a machine refuse events for a time", body: .members),
        HTTPRoute(
            .post, "/v1/machines/{machine}/resume", .op(.resume), "ends that", body: .members),
    ]

    private static let instances: [HTTPRoute] = [
        HTTPRoute(
            .get, "/v1/instances", .op(.list), "reads a page of instances",
            query: [
                HTTPParameter("machine", .text, "only instances of this machine"),
                HTTPParameter("prefix", .text, "only names that begin with this text"),
                HTTPParameter("state", .text, "only instances in the state of this name"),
                HTTPParameter("done", .flag, "only instances that are done, or that aren't"),
                HTTPParameter("outdated", .flag, "only instances of an earlier version, or others"),
                HTTPParameter(
                    "held", .word(ProtocolWords.holds), "only instances held in this way"),
            ] + page),
        HTTPRoute(
            .get, "/v1/records", .records, "streams records",
            query: [
                HTTPParameter(
                    "machine", .text, "a pattern for machines", member: "select.machine"),
                HTTPParameter(
                    "instance", .text, "a pattern for instances", member: "select.instance"),
            ] + selection, conditions: [.lastEvent]),
        HTTPRoute(
            .get, one + "/records", .records, "streams the records of an instance",
            query: selection, conditions: [.lastEvent]),
        HTTPRoute(
            .get, "/v1/effects", .op(.effects), "lists effects",
            query: [
                HTTPParameter("phase", .word(ProtocolWords.phases), "only effects in this phase")
            ] + page),
    ]

    private static let instance: [HTTPRoute] = [
        HTTPRoute(
            .get, one, .op(.get), "reads an instance",
            query: [
                HTTPParameter("at", .integer, "a version; by default the present one"),
                HTTPParameter("in", .flag, "also the names of the active states"),
            ], conditions: [.cached]),
        HTTPRoute(
            .put, one, .op(.create), "creates an instance in its initial state", body: .members,
            conditions: [.key], success: 201),
        HTTPRoute(
            .post, one + "/events", .op(.send), "applies an event, which is the body",
            query: [
                HTTPParameter(
                    "reply", .word(ProtocolWords.replySizes), "the size of the reply"),
                HTTPParameter(
                    "create", .word(ProtocolWords.creations),
                    "what becomes of an instance that isn't there, or is"),
                HTTPParameter(
                    "settle", .word(ProtocolWords.settles), "the effects that the reply waits for"
                ),
                HTTPParameter(
                    "timeout_ms", .integer, "the longest wait for them",
                    range: 1...ProtocolLimits.waitMillisecondsMax),
            ], body: .event, conditions: [.key, .expect]),
        HTTPRoute(
            .post, one + "/can", .op(.can), "tests an event, which is the body", body: .event),
        HTTPRoute(
            .get, one + "/history", .op(.history), "reads the steps of an instance",
            query: [
                HTTPParameter("after", .integer, "only versions greater than this one")
            ] + page.suffix(1)),
        HTTPRoute(
            .get, one + "/effects", .op(.effects), "lists the effects of an instance",
            query: [
                HTTPParameter("phase", .word(ProtocolWords.phases), "only effects in this phase")
            ] + page),
        HTTPRoute(
            .get, one + "/await", .op(.await), "waits until an instance is done, or in a state",
            query: [
                HTTPParameter(
                    "until", .text, "done, or the name of a state", isRequired: true),
                HTTPParameter(
                    "timeout_ms", .integer, "the longest wait", isRequired: true,
                    range: 1...ProtocolLimits.waitMillisecondsMax),
                HTTPParameter("in", .flag, "also the names of the active states"),
            ]),
        HTTPRoute(
            .get, one + "/machine", .op(.describe),
            "describes the instance's version of its machine",
            query: [
                HTTPParameter(
                    "format", .word(ProtocolWords.diagramFormats), "the language of the diagram")
            ]),
        HTTPRoute(.post, one + "/stop", .op(.stop), "ends an instance", body: .members),
        HTTPRoute(.delete, one, .op(.delete), "removes an instance"),
        HTTPRoute(
            .post, one + "/import", .op(.import), "creates an instance in a given state",
            body: .requiredMembers, conditions: [.key]),
        HTTPRoute(
            .post, one + "/migrate", .op(.migrate), "gives it another version of its machine",
            body: .members),
        HTTPRoute(
            .post, one + "/suspend", .op(.suspend), "makes it refuse events for a time",
            body: .members),
        HTTPRoute(.post, one + "/resume", .op(.resume), "ends that", body: .members),
    ]

    private static let work: [HTTPRoute] = [
        HTTPRoute(
            .post, one + "/cancel", .op(.cancel), "cancels effects", body: .requiredMembers),
        HTTPRoute(
            .post, one + "/retry", .op(.retry), "resumes an instance that is set aside",
            body: .members),
        HTTPRoute(
            .post, one + "/effects/{effect}/retry", .op(.retry), "retries an effect",
            body: .members),
        HTTPRoute(
            .post, "/v1/complete", .op(.complete), "answers an effect that asks",
            body: .requiredMembers),
        HTTPRoute(
            .post, "/v1/batch", .op(.batch), "applies several events", body: .requiredMembers,
        ),
    ]

    private static let accounts: [HTTPRoute] = [
        HTTPRoute(
            .get, "/v1/accounts", .op(.accounts), "lists principals", query: page),
        HTTPRoute(
            .post, "/v1/accounts", .op(.accounts), "changes principals", body: .requiredMembers),
        HTTPRoute(
            .post, "/v1/tokens", .op(.token), "makes, replaces and revokes tokens",
            body: .requiredMembers),
        HTTPRoute(
            .get, "/v1/audit", .op(.audit), "shows the changes of accounts",
            query: [
                HTTPParameter("after", .integer, "the number of the last entry of the page before"),
                HTTPParameter(
                    "limit", .integer, "entries of a page; 100 by default",
                    range: 1...ProtocolLimits.pageItemsMax),
            ]),
    ]
}
