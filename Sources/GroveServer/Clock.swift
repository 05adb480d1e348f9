import Glibc
import GroveEngine
import GroveProtocol

/// The only code that reads the time.
enum Clock {
    /// Now, by both clocks: one that never jumps for waits, and the wall clock for texts.
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

    /// The time of day: the wall clock at the start, plus the time since then by a clock that
    /// doesn't jump and includes a machine's sleep. So a change of the wall clock makes no timer
    /// fire early or late; restart the server to follow such a change.
    static func time() -> Timestamp { timestamp(milliseconds: anchor + read(CLOCK_BOOTTIME)) }

    /// The time of day by a clock, which may be before 1970. It is 1970 then: the journal has no
    /// earlier times.
    static func timestamp(milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: max(0, milliseconds))
    }

    /// The wall clock's lead over the time since the machine started.
    private static let anchor = read(CLOCK_REALTIME) - read(CLOCK_BOOTTIME)

    private static func read(_ clock: clockid_t) -> Int64 {
        var value = timespec()
        // Fails only for clocks that don't exist.
        clock_gettime(clock, &value)
        return Int64(value.tv_sec) * 1_000 + Int64(value.tv_nsec) / 1_000_000
    }
}
