/// The bounds of documents that are imported.
public enum ImportLimits {
    /// Bytes of a document: as many as a definition may have.
    public static let documentBytesMax = 4 << 20
    /// Elements that may be open at once. Reading recurses.
    static let levelsMax = 100
    /// Elements of a document.
    static let elementsMax = 100_000
    /// Attributes of one element.
    static let attributesMax = 64
    /// Bytes of one expression or script.
    static let scriptBytesMax = 65_536
    /// Parts of an expression that may be open at once. Reading recurses.
    static let scriptLevelsMax = 64
    /// Operators and accesses of one expression. Writing recurses.
    static let scriptLinksMax = 400
    /// Rounds in which the kinds of data are found.
    static let kindRoundsMax = 4
    /// Documents within each other.
    static let machineLevelsMax = 4
    /// Problems that are reported; further ones are counted.
    static let problemsMax = 100
    /// Arrays and objects that may be open at once in JSON. Reading recurses.
    static let jsonLevelsMax = 100
    /// Values of a JSON text.
    static let valuesMax = 500_000
    /// The largest whole exponent that becomes a product.
    static let powerMax = 8
    /// Bytes of a state's id: as many as a definition allows.
    static let stateNameBytesMax = 256
    /// Bytes of a machine's name.
    static let nameBytesMax = 64
}
