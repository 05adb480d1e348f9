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

    /// Whether it gives nothing, so that there is nothing to do for a principal that is missing.
    var onlyTakes: Bool {
        let takes =
            !removedIdentities.isEmpty || !removedGrants.isEmpty || quotas.values.contains(nil)
        return takes && !isNew && addedIdentities.isEmpty && addedGrants.isEmpty
            && quotas.values.allSatisfy { $0 == nil }
    }

    /// An edit that creates the principal if it is missing, and changes nothing else.
    package init(_ principal: PrincipalName) { self.principal = principal }
}
