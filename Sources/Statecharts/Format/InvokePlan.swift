import CEL

/// An invocation of a definition.
struct InvokePlan: Sendable {
    enum Source: Sendable {
        case http
        /// A machine by its name.
        case machine(String)
        /// A handler by its name.
        case handler(String)
        /// An inline machine.
        case chart(Chart)
        /// A definition that is computed.
        case definition(ChartExpression)
        /// An expression that gives one of these.
        case computed(ChartExpression)
    }

    /// Whether it may start a machine, which can be sent to.
    var mayBeMachine: Bool {
        switch source {
        case .http, .handler: false
        case .machine, .chart, .definition, .computed: true
        }
    }

    /// The attempts, as they are written.
    struct Retry: Sendable {
        var max: Int?
        var interval: Literal?
        var backoff: Double?
        var cap: Literal?
        var jitter: Bool?
    }

    let state: Int32
    /// The position among the state's invocations, from 0.
    let position: Int
    let id: Action.Identifier?
    let source: Source
    var method: Literal?
    var url: Literal?
    /// The headers by name, or one value that is a map of them.
    var headers: [(name: CELKey, value: Literal)] = []
    var computedHeaders: Literal?
    var body: Template?
    var retry: Retry?
    var timeout: Literal?
    var input: Template?
    var autoforwards = false
    var finalize: [Action] = []
    let path: String
}
