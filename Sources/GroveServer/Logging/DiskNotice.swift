/// Decides when the log says that the disk is full, and when that there is room again: at once when
/// it changes, and each at most once in a while when it changes to and fro.
struct DiskNotice {
    private var toldFull = false
    private var nextFull = Int64.min
    private var nextRoom = Int64.min

    /// Looks at how things are now, in milliseconds of uptime. Call it at every change and once a
    /// second.
    ///
    /// - Returns: What is to be told, if something is: whether the disk is full.
    mutating func look(isFull: Bool, at now: Int64) -> Bool? {
        guard isFull != toldFull, now >= (isFull ? nextFull : nextRoom) else { return nil }
        toldFull = isFull
        if isFull {
            nextFull = now + LogThrottle.periodMilliseconds
        } else {
            nextRoom = now + LogThrottle.periodMilliseconds
        }
        return isFull
    }
}
