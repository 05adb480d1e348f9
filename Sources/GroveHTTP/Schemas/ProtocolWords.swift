/// The closed lists of words in requests and replies, for the description of the API and for the
/// parameters of its routes.
///
/// As for ``ProtocolLimits``, a test holds them to those of the engine.
enum ProtocolWords {
    static let recordKinds = ["output", "state", "effect", "lifecycle", "trace"]
    static let lifecycles = [
        "created", "done", "stopped", "deleted", "suspended", "resumed", "set_aside",
    ]
    static let phases = [
        "waiting", "sleeping", "active", "asking", "child", "delivering", "failed", "completed",
    ]
    static let effectKinds = [
        "after", "perform", "send", "start", "ask", "compensate", "closure", "event",
    ]
    static let effectChanges = [
        "started", "waiting", "emitted", "completed", "retrying", "failed", "cancelled", "renamed",
        "refused", "stale", "logged",
    ]
    static let effectEnds = ["completed", "failed", "cancelled"]
    static let holds = ["suspended", "set_aside"]
    static let replySizes = ["min", "state", "full"]
    static let creations = ["if_absent", "never", "must"]
    static let settles = ["none", "own", "tree"]
    static let diagramFormats = ["mermaid", "dot"]
    static let quotas = [
        "connections", "subscriptions", "requests", "events_per_s", "bytes_per_s",
    ]
    static let nodeKinds = [
        "state", "final", "compound", "parallel", "history", "deep-history", "region", "any",
        "computed",
    ]
    static let edgeKinds = [
        "event", "after", "always", "initial", "move", "computed", "observed",
    ]
}
