/// What a principal gets and loses. What is there already isn't added, and what isn't there isn't
/// taken away: a repeat changes nothing.
package struct PrincipalEdit: Sendable {
    package var principal: PrincipalName
    /// Whether a principal of this name must not exist.
    package var isNew = false
    package var addedIdentities: [Identity] = []
    package var addedGrants: [Grant] = []
    package var removedIdentities: [Identity] = []
    package var removedGrants: [Grant] = []
    /// Quotas to set; `nil` for the standard one.
    package var quotas: [Quota: Int64?] = [:]

    /// An edit that creates the principal if it is missing, and changes nothing else.
    package init(_ principal: PrincipalName) { self.principal = principal }
}
