extension LineFramer {
    /// Empty lines in a row after which ``Event/empty`` is reported.
    static let emptyLinesMax = 1_024

    /// Bytes kept of the beginning of a line that is too long: enough to recognize HTTP.
    static let beginningBytesMax = 96
}
