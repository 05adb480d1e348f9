/// A set of code points.
struct ScalarSet: Sendable {
    /// A part of the set.
    enum Part: Sendable {
        case range(ClosedRange<UInt32>)
        /// All others than those of the ranges.
        case outside([ClosedRange<UInt32>])
        /// General categories, such as all letters; or all others.
        case categories(CategoryName, isNegated: Bool)
    }

    var parts: [Part] = []
    var isNegated = false
    /// Whether a letter stands for all of its cases.
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
        let others = ignoresCase ? CaseFolding.others(of: scalar) : []
        let isIn = parts.contains { part in
            // `\W` leaves out all that `\w` has, in any case.
            let isNamed = part.names(scalar) || others.contains(where: part.names)
            return isNamed != part.isNegated
        }
        return isIn != isNegated
    }
}

extension ScalarSet.Part {
    /// Whether the part consists of what isn't named.
    fileprivate var isNegated: Bool {
        switch self {
        case .range: false
        case .outside: true
        case .categories(_, let isNegated): isNegated
        }
    }

    /// Whether the part names a code point, which is in it unless the part is negated.
    fileprivate func names(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .range(let range): range.contains(scalar.value)
        case .outside(let ranges): ranges.contains { $0.contains(scalar.value) }
        case .categories(let name, _): name.contains(scalar)
        }
    }
}
