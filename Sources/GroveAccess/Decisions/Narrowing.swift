import GroveWire

/// What a subscription's selection becomes under the grants.
package enum Narrowing: Equatable, Sendable {
    /// It stays as it was asked for.
    case whole
    /// Only names that the selection *and* at least one of these scopes include. The reply says
    /// `"narrowed":true`.
    case part([NameScope])
    /// No name that it could select is granted: `FORBIDDEN`.
    case nothing
}

extension AccessSubject {
    /// Narrows a selection to what may be subscribed to.
    ///
    /// It compares patterns with patterns, so it says nothing about what exists. A selection is
    /// whole if one grant covers it. If only several grants together cover it, it counts as
    /// narrowed, although nothing is left out. Event types of grants don't matter: they are about
    /// what is sent.
    ///
    /// - Parameters:
    ///   - verb: What it takes.
    ///   - machine: The pattern of machines; `nil` for all.
    ///   - instance: The pattern of instances; `nil` for all.
    package func narrow(
        _ verb: Verb = .subscribe, machine: Glob?, instance: Glob?
    ) -> Narrowing {
        guard case .principal(let table) = self else { return isEverything ? .whole : .nothing }
        let all = Glob("*")
        let wanted = NameScope(machine: machine ?? all, instance: instance ?? all)
        let granted = table.scopes(of: verb).filter { $0.overlaps(wanted) }
        // A selection of `?` would get the records of whole machines too, whose instance is `*`.
        let meansMachines = wanted.instance.matches("*".utf8)
        let isWhole = granted.contains {
            $0.covers(wanted) && ($0.instance.matchesAll || !meansMachines)
        }
        if isWhole { return .whole }
        // Each part in its narrower form, where one of the two patterns covers the other: literal
        // names are found by an index.
        let cut = granted.map { scope in
            NameScope(
                machine: Self.narrower(scope.machine, wanted.machine),
                instance: Self.narrower(scope.instance, wanted.instance))
        }
        let scopes = cut.enumerated().filter { index, scope in
            !cut.enumerated().contains { other, wider in
                other != index && wider.covers(scope) && (other < index || !scope.covers(wider))
            }
        }.map(\.element)
        return scopes.isEmpty ? .nothing : .part(scopes)
    }

    private static func narrower(_ granted: Glob, _ wanted: Glob) -> Glob {
        granted.covers(wanted) ? wanted : granted
    }
}
