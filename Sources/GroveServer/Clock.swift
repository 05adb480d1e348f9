import Glibc
import GroveEngine
import GroveProtocol

/// The one place that reads the time.
enum Clock {
    /// Now, by both clocks: the one that never jumps for waiting, the wall clock for texts.
    static func now() -> Moment {
        Moment(uptime: uptime(), time: time())
    }

    /// Milliseconds of the monotonic clock.
    static func uptime() -> Int64 { read(CLOCK_MONOTONIC) }

    /// The wall clock.
    static func time() -> Timestamp { Timestamp(milliseconds: read(CLOCK_REALTIME)) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var value = timespec()
        // Fails only for clocks that don't exist.
        clock_gettime(clock, &value)
        return Int64(value.tv_sec) * 1_000 + Int64(value.tv_nsec) / 1_000_000
    }
}
