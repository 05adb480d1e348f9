/// One problem of a document, with its place.
package struct AccountsProblem: Hashable, Sendable, CustomStringConvertible {
    /// The JSON path, such as `$.principals.shop.grants[1]`.
    package let path: String
    /// One sentence: what is wrong, and what to write.
    package let message: String

    init(_ path: String, _ message: String) {
        self.path = path
        self.message = message
    }

    /// The path of a principal's account.
    static func path(to name: PrincipalName) -> String {
        let isIdentifier = !name.text.utf8.contains(UInt8(ascii: "-"))
        return "$.principals" + (isIdentifier ? ".\(name)" : "[\"\(name)\"]")
    }

    /// Path and message.
    package var description: String { "\(path): \(message)" }
}
