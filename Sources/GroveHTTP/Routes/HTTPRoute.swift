import GroveWire

/// One row of the table of routes: a method and a path, and what it does.
///
/// Routing, `Allow`, the description for OpenAPI and the manual's page follow from the table, so a
/// route is written once. An object, because each request refers to its row.
package final class HTTPRoute: Sendable {
    /// What a request of the route does.
    enum Action: Sendable, Equatable {
        /// A request of the line protocol.
        case op(Op)
        /// A subscription whose records are the answer.
        case records
        /// Lines as messages of WebSocket.
        case socket
        /// The members of the greeting.
        case greeting
        /// Numbers for Prometheus.
        case metrics
        /// The drawing of a machine, from what `describe` answers.
        case diagram
        /// A copy of all data, which takes many requests of the line protocol.
        case backup
        /// Whether commits return.
        case live
        /// Whether events can be accepted.
        case ready
        case openAPI
        case errorPage
        case console
        case asset
        /// The methods of a path, for `OPTIONS`.
        case preflight([HTTPMethod])
    }

    /// What the request's body is.
    enum Body: Sendable, Equatable {
        case none
        /// The member `event` of the op.
        case event
        /// An object with members of the op; may be missing.
        case members
        /// The same, but it must be there.
        case requiredMembers
    }

    /// What the fields of a request can ask for.
    enum Condition: Sendable, Hashable {
        /// `Idempotency-Key`: the member `dedup`.
        case key
        /// `If-Match` and `If-None-Match: *`: the member `expect`.
        case expect
        /// `If-None-Match` with a version that the client has.
        case cached
        /// `Last-Event-ID`.
        case lastEvent
    }

    let method: HTTPMethod
    /// The path with its variable parts in braces, such as `/v1/instances/{machine}/{name}`.
    package let template: String
    let segments: [Segment]
    let action: Action
    let parameters: [HTTPParameter]
    let body: Body
    let conditions: Set<Condition>
    /// What it does, for the manual: a clause without a verb's subject.
    let summary: String
    /// Whether it is answered although nobody knows who asks.
    let isPublic: Bool
    /// The status of a success.
    let success: Int

    /// Whether the answer is a file of the console.
    var isOfConsole: Bool { action == .console || action == .asset }

    /// Whether it may cause steps, which then belong to the trace of the request.
    var takesTrace: Bool {
        if case .op = action { method != .get } else { false }
    }

    /// Whether its path names an instance.
    var isOfInstance: Bool { segments.contains(.variable("name")) }

    /// Whether its answer is a page, with a link to the next one.
    var isPage: Bool { parameters.contains { $0.name == "limit" } }

    /// The members of the op that stand in the path, and that a body may not have.
    var membersOfPath: Set<String> {
        var members: Set<String> = []
        if segments.contains(.variable("machine")) { members = ["to", "name", "machine"] }
        if segments.contains(.variable("effect")) { members.insert("effect") }
        return members
    }

    /// A part of the path.
    enum Segment: Sendable, Equatable {
        case literal([UInt8])
        case variable(String)
    }

    init(
        _ method: HTTPMethod, _ template: String, _ action: Action, _ summary: String,
        query parameters: [HTTPParameter] = [], body: Body = .none,
        conditions: Set<Condition> = [], isPublic: Bool = false, success: Int = 200
    ) {
        self.method = method
        self.template = template
        self.action = action
        self.parameters = parameters
        self.body = body
        self.conditions = conditions
        self.summary = summary
        self.isPublic = isPublic
        self.success = success
        segments = template.split(separator: "/", omittingEmptySubsequences: true).map { part in
            part.hasPrefix("{")
                ? .variable(String(part.dropFirst().dropLast())) : .literal(Array(part.utf8))
        }
    }

    /// The values of the path's variable parts; `nil` if it is another path.
    func match(_ path: [ArraySlice<UInt8>]) -> PathVariables? {
        guard path.count == segments.count else { return nil }
        // Paths differ most in their last part.
        for index in segments.indices.reversed() {
            if case .literal(let text) = segments[index], text[...] != path[index] { return nil }
        }
        var variables = PathVariables()
        for index in segments.indices {
            if case .variable(let name) = segments[index] { variables.append(name, path[index]) }
        }
        return variables
    }
}
