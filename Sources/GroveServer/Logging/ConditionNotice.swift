/// Decides when the log says that something is so, such as a full disk, and when that it isn't any
/// more: at once when it changes, and each at most once in a while when it changes to and fro.
struct ConditionNotice {
    private var told = false
    private var nextSo = Int64.min
    private var nextNot = Int64.min

    /// Looks at how things are now, in milliseconds of uptime. Call it at every change and once a
    /// second.
    ///
    /// - Returns: What is to be told, if something is: whether it is so.
    mutating func look(_ isSo: Bool, at now: Int64) -> Bool? {
        guard isSo != told, now >= (isSo ? nextSo : nextNot) else { return nil }
        told = isSo
        if isSo {
            nextSo = now + LogThrottle.periodMilliseconds
        } else {
            nextNot = now + LogThrottle.periodMilliseconds
        }
        return isSo
    }
}
