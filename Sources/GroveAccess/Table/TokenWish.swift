/// The token that somebody wants.
package struct TokenWish: Sendable {
    package var principal: PrincipalName
    package var label = ""
    package var end = TokenEnd.standard
    /// Grants for the principal, which is created if it is missing. Without any it must exist.
    package var grants: [Grant] = []

    /// A wish for a token that ends at the standard time.
    package init(_ principal: PrincipalName) { self.principal = principal }
}
