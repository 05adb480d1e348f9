/// The letters that `(?i)` takes for one another: those with the same simple case folding in
/// Unicode, one code point each, as in RE2.
enum CaseFolding {
    /// The other code points that a code point stands for; empty for one without cases.
    static func others(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        // Most text is ASCII, where two letters have a third form outside of it.
        if scalar.isASCII, scalar.value | 0x20 != 0x6B, scalar.value | 0x20 != 0x73 {
            guard 0x61...0x7A ~= scalar.value | 0x20 else { return [] }
            return [Unicode.Scalar(UInt8(scalar.value ^ 0x20))]
        }
        // It has the capital letter `I`, and yet a folding of its own.
        if scalar == "\u{131}" { return [] }
        if let group = groupOf[scalar] { return group.filter { $0 != scalar } }
        let properties = scalar.properties
        var found: [Unicode.Scalar] = []
        let mappings = [
            properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping,
        ]
        for mapping in mappings {
            // A mapping to several code points, such as that of `ß` to `SS`, is no simple one.
            let scalars = mapping.unicodeScalars
            guard scalars.count == 1, let other = scalars.first, other != scalar,
                !found.contains(other)
            else { continue }
            found.append(other)
        }
        return found
    }

    /// All groups whose members aren't each other's lowercase, uppercase and titlecase letter.
    /// `CaseFoldingTests` says how they were found.
    private static let irregularGroups: [[Unicode.Scalar]] = [
        ["K", "k", "\u{212A}"], ["S", "s", "\u{17F}"], ["\u{B5}", "\u{39C}", "\u{3BC}"],
        ["\u{C5}", "\u{E5}", "\u{212B}"], ["\u{DF}", "\u{1E9E}"],
        ["\u{345}", "\u{399}", "\u{3B9}", "\u{1FBE}"], ["\u{390}", "\u{1FD3}"],
        ["\u{392}", "\u{3B2}", "\u{3D0}"], ["\u{395}", "\u{3B5}", "\u{3F5}"],
        ["\u{398}", "\u{3B8}", "\u{3D1}", "\u{3F4}"], ["\u{39A}", "\u{3BA}", "\u{3F0}"],
        ["\u{3A0}", "\u{3C0}", "\u{3D6}"], ["\u{3A1}", "\u{3C1}", "\u{3F1}"],
        ["\u{3A3}", "\u{3C2}", "\u{3C3}"], ["\u{3A6}", "\u{3C6}", "\u{3D5}"],
        ["\u{3A9}", "\u{3C9}", "\u{2126}"], ["\u{3B0}", "\u{1FE3}"],
        ["\u{412}", "\u{432}", "\u{1C80}"], ["\u{414}", "\u{434}", "\u{1C81}"],
        ["\u{41E}", "\u{43E}", "\u{1C82}"], ["\u{421}", "\u{441}", "\u{1C83}"],
        ["\u{422}", "\u{442}", "\u{1C84}", "\u{1C85}"], ["\u{42A}", "\u{44A}", "\u{1C86}"],
        ["\u{462}", "\u{463}", "\u{1C87}"], ["\u{1C88}", "\u{A64A}", "\u{A64B}"],
        ["\u{1E60}", "\u{1E61}", "\u{1E9B}"], ["\u{FB05}", "\u{FB06}"],
    ]

    private static let groupOf = Dictionary(
        uniqueKeysWithValues: irregularGroups.flatMap { group in group.map { ($0, group) } })
}
