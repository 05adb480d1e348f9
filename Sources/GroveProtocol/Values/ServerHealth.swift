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
        writer.object("health") { writer in
            writer.member("live", isLive(at: uptime))
            writer.member("ready", isReady(at: uptime))
            writer.member("draining", isDraining)
            writer.member("disk_full", isDiskFull)
            writer.member("stalled_ms", stalledMilliseconds(at: uptime))
            writer.member("set_aside", Int64(setAside))
        }
    }
}
