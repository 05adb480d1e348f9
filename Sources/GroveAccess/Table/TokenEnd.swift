/// The end of a token.
package enum TokenEnd: Sendable {
    /// After ``TokenEnd/standardMilliseconds``.
    case standard
    case never
    /// At a time, in milliseconds since 1970.
    case at(Int64)
}
