import GroveWire

/// The answer to one request's question.
package enum AccessDecision: Hashable, Sendable {
    /// It is carried out.
    case allowed
    /// Its sender must say first who they are.
    case unauthenticated
    /// Its sender lacks this verb for the name. The reply has the verb, and nothing about the name.
    case forbidden(Verb)

    /// The code of the refusal; `nil` if it is allowed. Both come before every code about what
    /// exists.
    package var code: ErrorCode? {
        switch self {
        case .allowed: nil
        case .unauthenticated: .unauthenticated
        case .forbidden: .forbidden
        }
    }
}
