/// What a text may cost before the reader refuses it.
///
/// Every limit is checked while reading, so a text past one of them is refused in time
/// proportional to the part that was read, and never by running out of stack or memory.
public struct JSONLimits: Sendable, Hashable {
    /// The most arrays and objects that may be open at once: `[]` has depth 1, `5` has depth 0.
    /// 64 unless set; there is no ceiling, because the reader doesn't recurse.
    public var depthMax = 64

    /// The most bytes a text may have, white space included. 16 MiB (16,777,216) unless set;
    /// ``JSONDocument/textBytesCeiling`` holds whatever is asked here.
    public var bytesMax: Int

    /// The most values a text may have: every array, object, string, number, `true`, `false` and
    /// `null` counts once, member names don't. 100,000 unless set.
    public var valuesMax = 100_000

    /// The limits that hold where none are given: depth 64, 16 MiB, 100,000 values.
    public static let standard = JSONLimits()

    /// The limits for reading back what a program has written itself, and bounded then: four times
    /// the depth of ``standard``, and as many bytes and values as a text can have.
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
