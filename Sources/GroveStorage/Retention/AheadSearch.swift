import GroveEngine

/// The search for the time of steps that were taken while the clock was ahead. In memory only.
///
/// The journal has the steps in the order in which they were taken, so one of a time after now is
/// at least as old as the next one whose time can be right. Otherwise it would keep all later steps
/// until its own time has come, which can be years.
struct AheadSearch {
    /// The blocks before this position were looked at.
    private(set) var end: JournalPosition
    /// The time of the newest step of the last of them, if it isn't after now: all of them are at
    /// least as old.
    private var passed: Timestamp?

    init(from position: JournalPosition = 1) { end = position }

    /// Returns the time at which the step at a position was taken, at the latest.
    func latest(_ time: Timestamp, at position: JournalPosition) -> Timestamp {
        guard position < end, let passed else { return time }
        return min(time, passed)
    }

    /// Begins at a position, unless it is beyond it.
    mutating func begin(at position: JournalPosition) {
        if end <= position { self = AheadSearch(from: position) }
    }

    /// Looks at the next block. Returns whether its time can be right, which ends the search.
    ///
    /// - Throws: `.corrupt` when its steps can't be decoded.
    mutating func look(at block: JournalBlock, _ now: Timestamp) throws(StoreError) -> Bool {
        let newest = try block.newest()
        passed = newest.flatMap { $0 <= now ? $0 : nil }
        end = block.end
        return passed != nil
    }
}

extension JournalBlock {
    /// Returns the time of the newest step; `nil` if all are erased.
    ///
    /// - Throws: `.corrupt` when it can't be decoded.
    func newest() throws(StoreError) -> Timestamp? {
        for sequence in (first..<end).reversed() {
            let record = try record(at: sequence)
            if record.kind != .erased { return record.at }
        }
        return nil
    }
}
