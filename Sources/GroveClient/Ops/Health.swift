import OrderedJSON

/// The health of a server (protocol.md, "ping").
public struct Health: Sendable {
    /// Whether its commits return.
    public let isLive: Bool
    /// Whether it can accept events: it is live, doesn't shut down, and its disk has room.
    public let isReady: Bool
    /// Whether it is shutting down.
    public let isDraining: Bool
    /// Whether its last commit failed for lack of room.
    public let isDiskFull: Bool
    /// The number of instances that it has set aside, because their steps had ended the process.
    public let setAside: Int
    /// For how long the engine's present work has been waiting; mostly because a disk hangs.
    public let stalled: Duration
    /// The whole of it, as the server wrote it.
    public let text: [UInt8]

    init(_ reply: Reply) throws(ClientError) {
        guard let node = reply.node("health") else {
            throw .protocolViolation("the server is too old to report its health")
        }
        let fields = Fields(reply.document, node)
        isLive = fields.bool("live") ?? false
        isReady = fields.bool("ready") ?? false
        isDraining = fields.bool("draining") ?? false
        isDiskFull = fields.bool("disk_full") ?? false
        setAside = Int(clamping: fields.integer("set_aside") ?? 0)
        stalled = .milliseconds(fields.integer("stalled_ms") ?? 0)
        text = reply.document.text(node)
    }
}
