/// A set of code points.
struct ScalarSet: Sendable {
    /// A part of the set.
    enum Part: Sendable {
        case range(ClosedRange<UInt32>)
        /// General categories, such as all letters; or all others.
        case categories(CategoryName, isNegated: Bool)
    }

    var parts: [Part] = []
    var isNegated = false
    /// Whether a letter stands for both of its cases.
    var ignoresCase = false

    init(_ parts: [Part] = []) { self.parts = parts }

    init(_ scalar: Unicode.Scalar) { parts = [.range(scalar.value...scalar.value)] }

    static let any = ScalarSet([.range(0...0x10FFFF)])
    static let anyButNewline = ScalarSet([.range(0...9), .range(11...0x10FFFF)])

    /// The work of ``contains(_:)``, beside 1 for a single range: other cases of letters and
    /// categories are looked up in tables of Unicode.
    var cost: Int {
        let lookUps = parts.reduce(ignoresCase ? 2 : 0) { sum, part in
            if case .categories = part { sum + 1 } else { sum }
        }
        return 1 + parts.count / 8 + lookUps * 16 * (ignoresCase ? 2 : 1)
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        var isIn = holds(scalar)
        if !isIn && ignoresCase {
            let properties = scalar.properties
            isIn =
                [properties.lowercaseMapping, properties.uppercaseMapping].contains { mapping in
                    let scalars = mapping.unicodeScalars
                    return scalars.count == 1 && scalars.first.map(holds) == true
                }
        }
        return isIn != isNegated
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        for part in parts {
            switch part {
            case .range(let range): if range.contains(scalar.value) { return true }
            case .categories(let name, let isNegated):
                if name.contains(scalar) != isNegated { return true }
            }
        }
        return false
    }

    /// The ranges between those of an ASCII class, for `\D` and `[:^digit:]`.
    static func complement(_ ranges: [ClosedRange<UInt32>]) -> [Part] {
        var parts: [Part] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if next < range.lowerBound { parts.append(.range(next...(range.lowerBound - 1))) }
            next = range.upperBound + 1
        }
        parts.append(.range(next...0x10FFFF))
        return parts
    }
}
