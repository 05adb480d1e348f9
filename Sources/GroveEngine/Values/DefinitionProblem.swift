/// A fault or a weak point of a definition.
public struct DefinitionProblem: Sendable, Hashable {
    /// Whether it prevents the use.
    public var isError: Bool
    /// The JSON path.
    public var path: String
    /// One sentence.
    public var message: String

    public init(isError: Bool = true, path: String, message: String) {
        self.isError = isError
        self.path = path
        self.message = message
    }
}
