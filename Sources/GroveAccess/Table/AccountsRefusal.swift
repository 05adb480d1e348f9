/// The reason why a command is refused. Nothing has changed then.
package enum AccountsRefusal: Error, Hashable, Sendable {
    /// Something of the request doesn't fit: its JSON path, and one sentence.
    case badRequest(path: String, message: String)
    /// There is a principal of this name.
    case alreadyExists(PrincipalName)
    /// A bound is reached.
    case limit(String)
    /// The problems of a document.
    case problems(AccountsProblems)

    /// One sentence.
    package var message: String {
        switch self {
        case .badRequest(_, let message), .limit(let message): message
        case .alreadyExists(let name): "there is a principal \(name) already"
        case .problems(let problems): problems.description
        }
    }
}
