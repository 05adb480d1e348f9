import OrderedJSON

/// A server's health as far as it is known without the engine, which may hang.
package struct ServerHealth: Sendable, Equatable {
    package var isDraining = false
    /// Whether the last commit found the disk full, and there is no room yet.
    package var isDiskFull = false
    /// The number of instances that are set aside, because their steps have ended the process.
    package var setAside = 0
    /// The start of the engine's silence, as milliseconds of uptime; `nil` while it answers.
    package var silentSince: Int64?

    package init() {}

    /// The time of the engine's silence in milliseconds.
    package func stalledMilliseconds(at uptime: Int64) -> Int64 {
        max(0, uptime - (silentSince ?? uptime))
    }

    /// Whether commits complete: without that, a server may need a person.
    package func isLive(at uptime: Int64) -> Bool {
        stalledMilliseconds(at: uptime) < ServerLimits.stallMilliseconds
    }

    package func isReady(at uptime: Int64) -> Bool {
        isLive(at: uptime) && !isDraining && !isDiskFull
    }
}

extension ServerHealth {
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
