/// A rate with room for bursts. Time is an argument, in milliseconds of one clock; a clock that is
/// put back adds nothing and takes nothing.
///
/// It counts in whole parts of a unit, so no fraction is lost however often it is asked.
package struct TokenBucket: Hashable, Sendable {
    /// An amount per time, and the most that is saved up.
    package struct Rate: Hashable, Sendable {
        /// Units that come back in ``milliseconds``.
        package let amount: Int64
        /// The time in which they come back.
        package let milliseconds: Int64
        /// Units of a full bucket.
        package let burst: Int64

        /// A rate.
        ///
        /// - Precondition: Amount and burst are from 1 to 2^38, and the time from 1 ms to 70
        ///   minutes.
        package init(amount: Int64, milliseconds: Int64, burst: Int64) {
            precondition(
                (1...Self.amountMax).contains(amount) && (1...Self.amountMax).contains(burst)
                    && (1...Self.millisecondsMax).contains(milliseconds),
                "a rate has positive parts, and their product fits into 63 bits")
            self.amount = amount
            self.milliseconds = milliseconds
            self.burst = burst
        }

        /// A number of units a second, and those of one second saved up.
        package static func perSecond(_ amount: Int64) -> Rate {
            Rate(amount: amount, milliseconds: 1_000, burst: amount)
        }

        /// The parts of a full bucket: each unit has ``milliseconds`` parts, and ``amount`` parts
        /// come back in each millisecond.
        fileprivate var full: Int64 { burst * milliseconds }
    }

    /// The rate.
    package private(set) var rate: Rate
    /// The parts that are left; negative after ``spend(_:at:)`` of more than there was.
    private var level: Int64
    private var filledAt: Int64

    /// A full bucket.
    package init(_ rate: Rate, at milliseconds: Int64) {
        self.rate = rate
        level = rate.full
        filledAt = milliseconds
    }

    /// Takes units if they are all there: for what can be refused.
    ///
    /// - Parameters:
    ///   - units: From 0 to the burst; more would never be there.
    ///   - milliseconds: The time.
    /// - Returns: `nil` if they were taken; else the milliseconds until they will be there.
    package mutating func take(_ units: Int64 = 1, at milliseconds: Int64) -> Int64? {
        precondition((0...rate.burst).contains(units), "a bucket never has more than its burst")
        fill(at: milliseconds)
        let wait = wait(for: units * rate.milliseconds)
        if wait > 0 { return wait }
        level -= units * rate.milliseconds
        return nil
    }

    /// Takes units whether they are there or not: for what was received and can't be refused. Who
    /// asks stops receiving for the time that is returned.
    ///
    /// - Parameters:
    ///   - units: At least 0; above 2^38 they count as 2^38.
    ///   - milliseconds: The time.
    /// - Returns: The milliseconds until nothing is owed; 0 to continue.
    package mutating func spend(_ units: Int64, at milliseconds: Int64) -> Int64 {
        precondition(units >= 0, "nothing is given back")
        fill(at: milliseconds)
        let parts = min(units, Rate.amountMax) * rate.milliseconds
        let (rest, overflows) = level.subtractingReportingOverflow(parts)
        level = overflows ? Self.debtMost : max(rest, Self.debtMost)
        return wait(for: 0)
    }

    /// Whether a unit is there.
    package func hasUnit(at milliseconds: Int64) -> Bool {
        var copy = self
        copy.fill(at: milliseconds)
        return copy.wait(for: rate.milliseconds) == 0
    }

    /// Goes over to another rate. What is left stays, up to the new burst, and so does what is
    /// owed.
    package mutating func change(to rate: Rate, at milliseconds: Int64) {
        fill(at: milliseconds)
        // Parts of units of the former rate, as parts of the new one's.
        let units = level / self.rate.milliseconds
        let (parts, overflows) = units.multipliedReportingOverflow(by: rate.milliseconds)
        level = overflows ? Self.debtMost : min(max(parts, Self.debtMost), rate.full)
        self.rate = rate
    }

    /// The level below which nothing more is owed: centuries at any sensible rate.
    private static let debtMost = Int64.min / 2

    private mutating func fill(at milliseconds: Int64) {
        let (passed, overflows) = milliseconds.subtractingReportingOverflow(filledAt)
        filledAt = milliseconds
        guard overflows || passed > 0 else { return }
        guard !overflows else {
            if milliseconds > 0 { level = rate.full }
            return
        }
        let (gained, isMuch) = passed.multipliedReportingOverflow(by: rate.amount)
        let (filled, isMore) = level.addingReportingOverflow(gained)
        level = isMuch || isMore ? rate.full : min(filled, rate.full)
    }

    /// The milliseconds until there are `parts`, rounded up.
    private func wait(for parts: Int64) -> Int64 {
        guard level < parts else { return 0 }
        let missing = parts - level
        return missing / rate.amount + (missing % rate.amount == 0 ? 0 : 1)
    }
}
