/// The skip links: from each version that is a multiple of 64, 4,096, … to the multiple before.
enum Skips {
    static let base: Int64 = 64

    /// The distance of this version's skip link, in versions; 0 without one.
    static func distance(of version: Int64) -> Int64 {
        guard version > 0 else { return 0 }
        var distance: Int64 = 0
        var power = base
        while version % power == 0 {
            distance = power
            let next = power.multipliedReportingOverflow(by: base)
            if next.overflow { break }
            power = next.partialValue
        }
        return distance
    }

    /// Returns the skip link of a new step, and updates the instance's list.
    ///
    /// `skips[k - 1]` is the newest step whose version is a multiple of 64^k; the creation, version
    /// 0, is one of all.
    static func link(
        version: Int64, sequence: JournalPosition, skips: inout [JournalPosition],
        created: JournalPosition
    ) -> JournalPosition {
        guard version > 0, version % base == 0 else { return 0 }
        var link: JournalPosition = 0
        var level = 0
        var rest = version
        while rest % base == 0 {
            rest /= base
            if level < skips.count {
                link = skips[level]
                skips[level] = sequence
            } else {
                link = created
                skips.append(sequence)
            }
            level += 1
        }
        return link
    }
}
