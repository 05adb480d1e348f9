public import OrderedJSON

/// The outcome of an import.
public struct ImportResult: Sendable {
    /// The definition in Grove's format; nil if there is an error.
    public let definition: JSONValue?
    /// The problems in the order of the document, at most a hundred and one line that counts the
    /// rest.
    public let problems: [ImportProblem]
}
