public import OrderedJSON

/// The outcome of an import.
public struct ImportResult: Sendable {
    /// The definition in Grove's format; nil if there is an error.
    public let definition: JSONValue?
    /// The problems in the order of the document, at most a hundred and one line that counts the
    /// rest.
    public let problems: [ImportProblem]
    /// Finds the source of a part of the definition.
    let source: (@Sendable (JSONPlaces.Path) -> (line: Int, column: Int))?

    /// Returns line and column of what a part of the definition was made from, both counted from
    /// 1: that of the state around it where nothing nearer is known.
    ///
    /// - Parameter path: A place in the definition, such as `$.states.cart.on`.
    public func place(of path: String) -> (line: Int, column: Int)? {
        source?(JSONPlaces.path(path))
    }
}
