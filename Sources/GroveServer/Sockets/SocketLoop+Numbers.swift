import Dispatch
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveWire

/// The numbers of the io queue, and the check that the engine still answers.
extension SocketLoop {
    /// Counters and gauges of this queue by name (docs/reference/metrics.md).
    var statistics: [(name: String, value: Int64)] {
        let traffic = context.traffic
        let requests = traffic.requests
        let errors = traffic.errors
        var numbers: [(name: String, value: Int64)] = [
            ("uptime_ms", Clock.uptime() - started),
            ("stalled_ms", context.health.stalledMilliseconds(at: context.now.uptime)),
            ("connections", Int64(connections.count)),
            ("connections_max", Int64(context.limits.connectionsMax)),
            ("connections_accepted", counters.accepted),
            ("connections_refused", counters.refused),
            ("connections_unknown", Int64(unknowns.count)),
            ("wrong_tokens", context.wrongTokens),
            ("buffer_bytes", Int64(context.buffers.bytes)),
            ("buffer_bytes_max", Int64(context.limits.bufferBytesMax)),
            ("requests_outstanding", Int64(context.outstanding)),
            ("requests_outstanding_max", Int64(context.limits.outstandingMax)),
            ("bytes_in", counters.bytesIn), ("bytes_out", counters.bytesOut),
            ("lines", context.linesReceived), ("replies", counters.replies),
            ("requests", requests.reduce(0) { $0 + $1.count }),
        ]
        for (op, count) in requests { numbers.append(("requests.\(op)", count)) }
        numbers.append(("errors", errors.reduce(0) { $0 + $1.count }))
        for (code, count) in errors { numbers.append(("errors.\(code.rawValue)", count)) }
        numbers += httpNumbers
        numbers += tlsNumbers
        numbers += traffic.acks.numbers("ack_us")
        numbers += commits.times.numbers("commit_us")
        numbers += commits.sizes.numbers("commit_requests")
        return numbers
    }

    /// The reply to `stats`. This queue's numbers are counted and written once in a turn, which may
    /// have a thousand requests for them.
    ///
    /// - Parameter engine: The numbers of engine and store.
    func statisticsReply(_ engine: [(name: String, value: Int64)]) -> Reply {
        if lastStatistics?.at != context.microseconds {
            lastStatistics = (context.microseconds, ReplyEncoder.members(statistics))
        }
        return .written(ReplyEncoder.members(engine) + (lastStatistics?.members ?? []))
    }

    /// The durations of commits, and the numbers of requests that they answered.
    struct Commits {
        var times = Distribution(bounds: Distribution.times)
        var sizes = Distribution(bounds: Distribution.sizes)

        mutating func count(_ commit: CommitStats) {
            times.record(commit.microseconds)
            sizes.record(Int64(commit.requests))
        }
    }

    // MARK: The engine's heartbeat

    /// Pings the engine, unless an answer is still due.
    func pingEngine() {
        guard context.health.silentSince == nil else { return }
        context.health.silentSince = context.now.uptime
        engine.post { $0.sendHeartbeat() }
    }

    /// Applies the engine's answer to a ping.
    func apply(_ heartbeat: EngineHeartbeat) {
        context.health.silentSince = nil
        context.health.isDiskFull = heartbeat.isDiskFull
        context.withhold(heartbeat.trapped, setAside: heartbeat.setAside)
        engineNumbers = heartbeat.numbers
        forwarder?.forward(statistics + heartbeat.numbers)
    }

    /// Adds a point to the series of `stats`, once per second. The engine's part is that of its
    /// last answer: while it hangs, it makes no steps.
    func recordSeries() {
        context.series.record(
            statistics + engineNumbers, acks: context.traffic.acks, commits: commits.times,
            at: context.now)
    }
}
