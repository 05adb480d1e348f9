/// The bounds of one evaluation. The bounds of expressions are constants.
public struct CELLimits: Sendable {
    /// Steps of one evaluation: one for each operator and call, each element that a macro or `==`
    /// visits, and each 64 bytes of text that a function reads.
    public var steps: Int
    /// Bytes of a text, or of `bytes`, that is made.
    public var textBytes: Int
    /// Elements of a list, or entries of a map, that is made.
    public var elements: Int
    /// Bytes of all texts, lists and maps that one evaluation makes, used or not; an element
    /// counts for 24 bytes, an entry for 64.
    public var totalBytes: Int
    /// Bytes of a result, counted in the same way, each time that a part is repeated.
    public var resultBytes: Int

    /// Bounds; a negative one counts as 0.
    public init(
        steps: Int = 10_000, textBytes: Int = 65_536, elements: Int = 10_000,
        totalBytes: Int = 1_048_576, resultBytes: Int = 65_536
    ) {
        self.steps = steps
        self.textBytes = textBytes
        self.elements = elements
        self.totalBytes = totalBytes
        self.resultBytes = resultBytes
    }

    /// 10,000 steps, texts and results of 64 KiB, 10,000 elements, 1 MiB in total.
    public static let standard = CELLimits()

    static let unlimited = CELLimits(
        steps: .max, textBytes: .max, elements: .max, totalBytes: .max, resultBytes: .max)

    // MARK: Expressions

    /// Bytes of an expression's text.
    static let sourceBytesMax = 65_536
    /// Brackets within brackets of an expression. Reading needs about 5 KiB of stack for each.
    static let nestingMax = 64
    /// Levels of an expression, also of operators in a row such as `1 + 1 + 1`. Reading, checking
    /// and evaluating use the stack for each level.
    static let levelsMax = 250
    /// Nodes of an expression after macros were expanded. Types are found in time that grows with
    /// the square of it at worst.
    static let nodesMax = 20_000
    /// Parts of a type, such as `list` and `int` in `list(int)`, that are looked at.
    static let typePartsMax = 1_000
    /// Bytes of a name for which a similar one is looked for.
    static let suggestionBytesMax = 64
    /// Known names among which a similar one is looked for.
    static let suggestionNamesMax = 5_000
    /// Parts of all constant regular expressions of an expression; those after them are compiled
    /// at each evaluation.
    static let constantRegexPartsMax = 50_000
    /// Steps that compute the constant parts of an expression when it is compiled: some ten
    /// milliseconds.
    static let constantStepsMax = 200_000
    /// Steps that compute one constant part.
    static let constantStepsEach = 2_000
    /// Bytes that one constant part makes.
    static let constantBytesEach = 65_536
    /// Type errors that are reported of one expression.
    static let errorsMax = 20

    // MARK: Regular expressions

    /// Instructions of a regular expression.
    static let regexInstructionsMax = 5_000
    /// Levels of groups of a regular expression.
    static let regexLevelsMax = 100
    /// The largest count of a repetition, as in RE2.
    static let regexRepeatMax = 1_000
    /// Threads of a regular expression that one step runs.
    static let regexThreadsPerStep = 64
    /// Parts of a regular expression that one step compiles.
    static let regexPartsPerStep = 4

    // MARK: Values

    /// Levels of lists, maps and optional values of a result: as many as a JSON text may have. A
    /// machine that wraps its context at each event would otherwise reach the end of the stack.
    static let resultLevelsMax = 64
    /// Entries of a map without an index: comparing eight hashes is faster than an index.
    static let entriesWithoutIndexMax = 8
    /// From the start of the year 1 to the end of 9999, in seconds since 1970.
    static let timestampSeconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// Digits after the point that `format` writes.
    static let formatDigitsMax = 1_000

    // MARK: Time zones

    /// Zones that are kept; the database has about 600 names, and up to three files for each.
    static let zonesMax = 2_048
    /// Bytes of a zone's name.
    static let zoneNameBytesMax = 64
    /// Bytes of a zone's file; the largest has 4 KiB.
    static let zoneBytesMax = 65_536
}
