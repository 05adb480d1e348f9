/// Decides when a condition, such as a full disk, is logged: at once when it begins or ends, but
/// each at most once per ``LogThrottle/periodMilliseconds``.
struct ConditionNotice {
    private var logged = false
    private var nextBegin = Int64.min
    private var nextEnd = Int64.min

    /// Updates the condition at an uptime in milliseconds. Call it at every change and once per
    /// second.
    ///
    /// - Returns: The state to log; `nil` for none.
    mutating func update(_ holds: Bool, at now: Int64) -> Bool? {
        guard holds != logged, now >= (holds ? nextBegin : nextEnd) else { return nil }
        logged = holds
        let next = now + LogThrottle.periodMilliseconds
        if holds { nextBegin = next } else { nextEnd = next }
        return holds
    }
}
