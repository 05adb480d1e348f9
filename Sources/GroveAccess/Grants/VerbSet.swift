/// A set of verbs.
package struct VerbSet: OptionSet, Hashable, Sendable {
    /// One bit per verb.
    package let rawValue: UInt8

    /// A set of bits; those of no verb are kept and mean nothing.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The set of one verb.
    package init(_ verb: Verb) {
        switch verb {
        case .send: rawValue = 1
        case .read: rawValue = 2
        case .subscribe: rawValue = 4
        case .manage: rawValue = 8
        case .define: rawValue = 16
        case .admin: rawValue = 32
        }
    }

    /// The set of some verbs.
    package init(_ verbs: some Sequence<Verb>) {
        self = verbs.reduce(into: []) { $0.formUnion(VerbSet($1)) }
    }

    /// Every verb.
    package static let all = VerbSet(Verb.allCases)

    /// Whether the verb is among them.
    package func contains(_ verb: Verb) -> Bool { contains(VerbSet(verb)) }

    /// The verbs in the order in which they are written.
    package var verbs: [Verb] { Verb.allCases.filter { contains($0) } }
}
