import OrderedJSON

/// One element of a page, with the fields that every page of its kind has.
public protocol PageItem: Sendable {
    /// Reads the element at `node`.
    init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError)
}
