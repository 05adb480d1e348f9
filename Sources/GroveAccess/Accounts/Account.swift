/// One principal with all that belongs to it, as a document has it.
package struct Account: Hashable, Sendable {
    /// The principal's name; also `anonymous`, which has only grants and quotas.
    package let name: PrincipalName
    /// What it is recognized by, sorted and each once.
    package private(set) var identities: [Identity] = []
    /// What it may do, sorted by text and each once.
    package private(set) var grants: [Grant] = []
    /// The quotas that were given to it; for others ``Quota/standard`` holds.
    package var quotas: [Quota: Int64] = [:]
    /// Its tokens, sorted by id. A document without the member has `nil`, which leaves them as they
    /// are.
    package private(set) var tokens: [TokenNote]?

    /// An account with a name.
    package init(_ name: PrincipalName) { self.name = name }

    /// Adds an identity; nothing happens if it is there.
    package mutating func insert(_ identity: Identity) {
        guard !identities.contains(identity) else { return }
        let place = identities.firstIndex { identity < $0 } ?? identities.endIndex
        identities.insert(identity, at: place)
    }

    /// Removes an identity.
    ///
    /// - Returns: Whether it was there.
    package mutating func remove(_ identity: Identity) -> Bool {
        guard let place = identities.firstIndex(of: identity) else { return false }
        identities.remove(at: place)
        return true
    }

    /// Adds a grant; nothing happens if it is there.
    package mutating func insert(_ grant: Grant) {
        var (low, high) = (grants.startIndex, grants.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if Grant.precedes(grants[middle], grant) { low = middle + 1 } else { high = middle }
        }
        guard low == grants.endIndex || grants[low] != grant else { return }
        grants.insert(grant, at: low)
    }

    /// Sets the grants, at once: one by one, each would be compared with all others.
    package mutating func setGrants(_ all: [Grant]) {
        // An exported document has them in this order.
        let isSorted = zip(all, all.dropFirst()).allSatisfy { Grant.precedes($0, $1) }
        grants = isSorted ? all : Set(all).sorted(by: Grant.precedes)
    }

    /// Removes a grant.
    ///
    /// - Returns: Whether it was there.
    package mutating func remove(_ grant: Grant) -> Bool {
        guard let place = grants.firstIndex(of: grant) else { return false }
        grants.remove(at: place)
        return true
    }

    /// Sets the tokens; of several with one id the first one stays.
    package mutating func setTokens(_ notes: [TokenNote]?) {
        var seen: Set<TokenID> = []
        tokens = notes?.filter { seen.insert($0.id).inserted }.sorted { $0.id < $1.id }
    }

    /// Whether it says the same of what a document can change.
    func agrees(with other: Account) -> Bool {
        let ours = tokens ?? []
        let theirs = other.tokens ?? []
        return name == other.name && identities == other.identities && grants == other.grants
            && quotas == other.quotas && ours.map(\.id) == theirs.map(\.id)
            && zip(ours, theirs).allSatisfy { $0.agrees(with: $1) }
    }

    /// The verbs of all its grants.
    package var verbs: VerbSet { grants.reduce(into: []) { $0.formUnion($1.verbs) } }
}
