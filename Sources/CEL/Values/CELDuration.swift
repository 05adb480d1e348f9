/// A length of time in nanoseconds: about ±292 years.
public struct CELDuration: Hashable, Comparable, Sendable {
    /// The length in nanoseconds.
    public let nanoseconds: Int64

    /// A length in nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whether the first is shorter, or more negative.
    public static func < (one: CELDuration, other: CELDuration) -> Bool {
        one.nanoseconds < other.nanoseconds
    }

    /// Reads a text such as `1h30m`, `-1.5s`, `250ms`: numbers with the units `h`, `m`, `s`, `ms`,
    /// `us` and `ns`, of which fractions below a nanosecond are cut off. `0` needs no unit.
    ///
    /// - Returns: Nil if the text is another one, or the length out of range.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard !rest.isEmpty else { return nil }
        var total: UInt64 = 0
        if rest.elementsEqual("0".utf8) { rest = [] }
        while !rest.isEmpty {
            guard let part = Self.part(&rest) else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow else { return nil }
            total = sum
        }
        if isNegative {
            guard total <= 1 << 63 else { return nil }
            nanoseconds = Int64(truncatingIfNeeded: 0 &- total)
        } else {
            guard let value = Int64(exactly: total) else { return nil }
            nanoseconds = value
        }
    }

    private static let units: [(name: String, nanoseconds: UInt64)] = [
        ("ns", 1), ("us", 1_000), ("\u{B5}s", 1_000), ("\u{3BC}s", 1_000), ("ms", 1_000_000),
        ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]

    /// Reads a number and its unit.
    private static func part(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        let whole = rest.prefix { $0.isDigit }
        rest = rest.dropFirst(whole.count)
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix { $0.isDigit }
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        let name = rest.prefix { !$0.isDigit && $0 != UInt8(ascii: ".") }
        rest = rest.dropFirst(name.count)
        guard let unit = units.first(where: { name.elementsEqual($0.name.utf8) }) else {
            return nil
        }
        var value: UInt64 = 0
        for digit in whole {
            let (tenfold, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tenfold.addingReportingOverflow(UInt64(digit & 15))
            guard !isTooLarge, !overflow else { return nil }
            value = sum
        }
        let (product, overflow) = value.multipliedReportingOverflow(by: unit.nanoseconds)
        guard !overflow else { return nil }
        let (sum, isAbove) = product.addingReportingOverflow(part(fraction, of: unit.nanoseconds))
        return isAbove ? nil : sum
    }

    /// The whole nanoseconds of the digits behind the point, as a part of a unit.
    private static func part(_ digits: ArraySlice<UInt8>, of unit: UInt64) -> UInt64 {
        var value: UInt64 = 0
        var scale: UInt64 = 1
        // What follows these is less than a nanosecond of the longest unit.
        for digit in digits.prefix(18) {
            value = value * 10 + UInt64(digit & 15)
            scale *= 10
        }
        // Less than the unit, so the quotient fits.
        return scale.dividingFullWidth(value.multipliedFullWidth(by: unit)).quotient
    }
}

extension CELDuration: CustomStringConvertible {
    /// The decimal seconds, such as `1.5s`.
    public var description: String {
        let magnitude = nanoseconds.magnitude
        let sign = nanoseconds < 0 ? "-" : ""
        return sign + "\(magnitude / 1_000_000_000)"
            + CELTimestamp.fraction(Int(magnitude % 1_000_000_000)) + "s"
    }
}

extension UInt8 {
    /// Whether this is the ASCII code of a decimal digit.
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
