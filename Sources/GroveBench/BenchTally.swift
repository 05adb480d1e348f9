import GroveClient

/// The counts of a benchmark so far.
package struct BenchTally: Sendable {
    package internal(set) var sent = 0
    package internal(set) var acknowledged = 0
    var duplicates = 0
    /// Requests without a reply: of broken connections that can't be repeated, and at the end.
    package internal(set) var unknown = 0
    /// Requests of a fixed rate that were due and not sent before the end.
    package internal(set) var unsent = 0
    var reconnects = 0
    /// Errors by code, and the first line of each.
    var errors: [String: Int] = [:]
    package internal(set) var examples: [String: String] = [:]
    package internal(set) var breaks: [String] = []
    /// The first reason why a connection isn't secure.
    package internal(set) var tlsProblem: TLSProblem?
    /// Nanoseconds from building a request, or from when it was due, to reading its reply, of
    /// acknowledged requests.
    private(set) var latency = LatencyHistogram()
    /// Replies that were read together often have the same latency, and are counted together.
    private var lastLatency: UInt64 = 0
    private var lastLatencyCount: UInt64 = 0

    package var errorCount: Int { errors.values.reduce(0, +) }

    @inline(__always)
    mutating func record(latency nanoseconds: UInt64) {
        if nanoseconds != lastLatency {
            flushLatency()
            lastLatency = nanoseconds
        }
        lastLatencyCount += 1
    }

    /// Adds the latencies that were counted together to the histogram.
    mutating func flushLatency() {
        guard lastLatencyCount > 0 else { return }
        latency.record(lastLatency, count: lastLatencyCount)
        lastLatencyCount = 0
    }

    mutating func record(error line: UnsafeRawBufferPointer) {
        let value = ReplyLine.value(in: line, after: "\"code\":\"", until: "\"")
        let code = value.map { String(decoding: $0, as: UTF8.self) } ?? "?"
        errors[code, default: 0] += 1
        if examples[code] == nil { examples[code] = String(decoding: line, as: UTF8.self) }
    }

    mutating func add(_ other: BenchTally) {
        flushLatency()
        var other = other
        other.flushLatency()
        sent += other.sent
        acknowledged += other.acknowledged
        duplicates += other.duplicates
        unknown += other.unknown
        unsent += other.unsent
        reconnects += other.reconnects
        errors.merge(other.errors, uniquingKeysWith: +)
        examples.merge(other.examples) { mine, _ in mine }
        breaks += other.breaks
        tlsProblem = tlsProblem ?? other.tlsProblem
        latency.add(other.latency)
    }
}
