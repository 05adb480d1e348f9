import OrderedJSON

/// How a server is (protocol.md, "ping").
public struct Health: Sendable {
    /// Whether its commits come back.
    public let isLive: Bool
    /// Whether it can take events: it is live, doesn't shut down, and its disk has room.
    public let isReady: Bool
    /// Whether it is shutting down.
    public let isDraining: Bool
    /// Whether its last commit failed for lack of room.
    public let isDiskFull: Bool
    /// Instances that it has set aside, because their steps had ended the process.
    public let setAside: Int
    /// For how long it has been waiting for what its engine is at; a disk that hangs, mostly.
    public let stalled: Duration
    /// The whole of it, as the server wrote it.
    public let text: [UInt8]

    init(_ reply: Reply) throws(ClientError) {
        let document = reply.document
        guard let node = reply.node("health") else {
            throw .protocolViolation("the server is too old to tell of its health")
        }
        func flag(_ name: StaticString) -> Bool {
            document.member(name, of: node).flatMap(document.bool) ?? false
        }
        isLive = flag("live")
        isReady = flag("ready")
        isDraining = flag("draining")
        isDiskFull = flag("disk_full")
        let held = document.member("set_aside", of: node).flatMap(document.integer) ?? 0
        setAside = Int(clamping: held)
        let stalled = document.member("stalled_ms", of: node).flatMap(document.integer) ?? 0
        self.stalled = .milliseconds(stalled)
        text = document.text(node)
    }
}
