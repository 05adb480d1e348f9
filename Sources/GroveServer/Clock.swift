import Glibc
import GroveEngine
import GroveProtocol

/// The one place that reads the time.
enum Clock {
    /// Now, by both clocks: the one that never jumps for waiting, the wall clock for texts.
    static func now() -> Moment {
        Moment(uptime: uptime(), time: time())
    }

    /// Microseconds of the monotonic clock.
    static func microseconds() -> Int64 {
        var value = timespec()
        clock_gettime(CLOCK_MONOTONIC, &value)
        return Int64(value.tv_sec) * 1_000_000 + Int64(value.tv_nsec) / 1_000
    }

    /// Milliseconds of the monotonic clock.
    static func uptime() -> Int64 { read(CLOCK_MONOTONIC) }

    /// The time of day: the wall clock as it was at the start, and what has passed since by a
    /// clock that doesn't jump and counts a machine's sleep. So nothing that is due comes early or
    /// late because somebody sets the wall clock; a server that is to follow such a change is
    /// started anew.
    static func time() -> Timestamp { Timestamp(milliseconds: anchor + read(CLOCK_BOOTTIME)) }

    /// The wall clock's lead over the time since the machine started.
    private static let anchor = read(CLOCK_REALTIME) - read(CLOCK_BOOTTIME)

    private static func read(_ clock: clockid_t) -> Int64 {
        var value = timespec()
        // Fails only for clocks that don't exist.
        clock_gettime(clock, &value)
        return Int64(value.tv_sec) * 1_000 + Int64(value.tv_nsec) / 1_000_000
    }
}
