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

    /// Whether a verb is granted for an instance and every event: whether a record shows who caused
    /// a step (`manage`), and whether a question may be answered
    /// (``Requirement/askingInstance(_:)``).
    package func allows(
        _ verb: Verb, _ machine: UnsafeRawBufferPointer, _ instance: UnsafeRawBufferPointer
    ) -> Bool {
        guard case .principal(let table) = self else { return isEverything }
        return table.allows(verb, machine, instance)
    }

    /// Whether it has every verb.
    package var isEverything: Bool {
        if case .everything = self { true } else { false }
    }
}
