/// The bounds of a text; the reader rejects a text past one of them.
///
/// Every limit is checked while reading, so rejecting a text takes time proportional to the part
/// that was read, and never runs out of stack or memory.
public struct JSONLimits: Sendable, Hashable {
    /// The most arrays and objects that may be open at once: `[]` has depth 1, `5` has depth 0.
    /// 64 unless set; there is no ceiling, because the reader doesn't recurse.
    public var depthMax = 64

    /// The most bytes a text may have, white space included. 16 MiB (16,777,216) unless set;
    /// ``JSONDocument/textBytesCeiling`` is the ceiling.
    public var bytesMax: Int

    /// The most values a text may have: every array, object, string, number, `true`, `false` and
    /// `null` counts once, member names don't. 100,000 unless set.
    public var valuesMax = 100_000

    /// The default limits: depth 64, 16 MiB, 100,000 values.
    public static let standard = JSONLimits()

    /// The limits for a text that the program itself has written, and bounded then: four times the
    /// depth of ``standard``, and any number of bytes and values.
    public static let stored = JSONLimits(
        depthMax: 256, bytesMax: JSONDocument.textBytesCeiling, valuesMax: .max)

    /// Limits with the given bounds; each must be at least 0.
    public init(depthMax: Int = 64, bytesMax: Int = 1 << 24, valuesMax: Int = 100_000) {
        precondition(
            depthMax >= 0 && bytesMax >= 0 && valuesMax >= 0, "a limit can't be negative")
        self.depthMax = depthMax
        self.bytesMax = bytesMax
        self.valuesMax = valuesMax
    }
}

/// The bounds that aren't configurable.
extension JSONLimits {
    /// The largest integer that is read as one: 2^53 − 1 (RFC 7493 section 2.2).
    @usableFromInline package static let integerMax: Int64 = 9_007_199_254_740_991

    /// The digits that can decide the rounding of a number: the longest midpoint between two
    /// doubles has 767. Of the digits after these, only whether all are zero counts.
    static let significantDigitsMax = 800

    /// Members of an object whose names are compared in pairs; the names of more are sorted.
    static let membersInPairsMax = 24

    /// Members of an object without an index from names to positions.
    static let membersWithoutIndexMax = 16

    /// Members of an object that Codable searches from the first. In a larger one a search starts
    /// where the last one ended, so that decoding all members in their order takes linear time.
    static let membersWithoutCursorMax = 16

    /// Open values around one that is encoded: encoding recurses, and the smallest stack of a
    /// thread is half a mebibyte.
    static let levelsMax = 256

    /// Bytes of an encoding's lists that are kept for the next one (``EncodingMemory``).
    static let keptEncodingBytesMax = 16 << 10

    /// Names that ``MissingMember/unknown`` lists.
    static let unknownMembersMax = 8

    /// Bytes of ``EnumCase/choice(_:)`` before its ellipsis.
    static let choiceBytesMax = 600

    /// Types that a probe follows from one to the next.
    static let probeDepthMax = 8

    /// Values of an enum case that a probe records.
    static let probedMembersMax = 64
}

extension EnumCase {
    /// Cases of an enum that are read; further ones are left out.
    public static let casesMax = 256
}

extension TextMemory {
    /// Bytes of a value that can be recognized: a few numbers.
    public static let valueBytesMax = 32

    /// Bytes of a text that is kept. Longer ones take so long to copy into the journal that their
    /// encoding counts less.
    public static let textBytesMax = 256
}
