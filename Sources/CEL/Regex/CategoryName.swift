/// The name of a general category of Unicode: one of two letters, or the first letter of a group.
struct CategoryName: Sendable {
    private let name: String

    /// A name such as `L` or `Lu`; nil for others. Scripts, such as `Greek`, aren't known.
    init?(_ name: String) {
        guard Self.categories.contains(where: { $0.name.hasPrefix(name) }), !name.isEmpty else {
            return nil
        }
        self.name = name
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return Self.categories.first { $0.category == category }?.name.hasPrefix(name) == true
    }

    private static let categories: [(name: String, category: Unicode.GeneralCategory)] = [
        ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter),
        ("Lm", .modifierLetter), ("Lo", .otherLetter), ("Mn", .nonspacingMark),
        ("Mc", .spacingMark), ("Me", .enclosingMark), ("Nd", .decimalNumber),
        ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
        ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation),
        ("Pi", .initialPunctuation), ("Pf", .finalPunctuation), ("Po", .otherPunctuation),
        ("Sm", .mathSymbol), ("Sc", .currencySymbol), ("Sk", .modifierSymbol),
        ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
        ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Cs", .surrogate),
        ("Co", .privateUse), ("Cn", .unassigned),
    ]
}
