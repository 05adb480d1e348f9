import OrderedJSON

/// What can be said of a server's health without asking its engine, which may hang.
public struct ServerHealth: Sendable, Equatable {
    /// Whether it is shutting down.
    public var isDraining = false
    /// Whether the last commit failed for lack of room, and there is none yet.
    public var isDiskFull = false
    /// Instances that are set aside, because their steps have ended the process.
    public var setAside = 0
    /// Since when the engine has been silent, as milliseconds of uptime; `nil` while it answers.
    public var silentSince: Int64?

    /// A server in good health.
    public init() {}

    /// For how long the engine has been silent, in milliseconds.
    public func stalledMilliseconds(at uptime: Int64) -> Int64 {
        max(0, uptime - (silentSince ?? uptime))
    }

    /// Whether commits come back: a server of which that can't be said may need a person.
    public func isLive(at uptime: Int64) -> Bool {
        stalledMilliseconds(at: uptime) < ServerLimits.stallMilliseconds
    }

    /// Whether it can take events.
    public func isReady(at uptime: Int64) -> Bool {
        isLive(at: uptime) && !isDraining && !isDiskFull
    }
}

extension ServerHealth {
    /// Appends `,"health":{…}` (protocol.md, "ping").
    func append(to writer: inout JSONWriter, at uptime: Int64) {
        writer.literal(#","health":{"live":"#)
        writer.bool(isLive(at: uptime))
        writer.literal(#","ready":"#)
        writer.bool(isReady(at: uptime))
        writer.literal(#","draining":"#)
        writer.bool(isDraining)
        writer.literal(#","disk_full":"#)
        writer.bool(isDiskFull)
        writer.literal(#","stalled_ms":"#)
        writer.integer(stalledMilliseconds(at: uptime))
        writer.literal(#","set_aside":"#)
        writer.integer(Int64(setAside))
        writer.bytes.append(UInt8(ascii: "}"))
    }
}
