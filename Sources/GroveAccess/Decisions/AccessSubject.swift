/// Who asks, as far as grants are concerned. Part of a connection.
package enum AccessSubject {
    /// Somebody who must say first who they are.
    case nobody
    /// Somebody with every verb: the owner on a Unix socket, or anybody as long as no principal
    /// exists.
    case everything
    /// A principal with its grants; also `anonymous`, if it has some.
    case principal(GrantTable)

    /// A client that has not said who it is.
    ///
    /// - Parameters:
    ///   - isOpen: Whether the server has no principal, so that there is nothing to say.
    ///   - anonymous: The grants of `anonymous`, if it has some.
    package static func unnamed(isOpen: Bool, anonymous: GrantTable?) -> AccessSubject {
        if isOpen { return .everything }
        guard let anonymous, !anonymous.grants.isEmpty else { return .nobody }
        return .principal(anonymous)
    }

    /// Whether it has every verb.
    var isEverything: Bool {
        if case .everything = self { true } else { false }
    }
}
