/// The definitions of a store, in the order of their numbers.
public struct StoredDefinitions: Sendable, Equatable {
    public private(set) var all: [StoredDefinition]
    private var lastNumber: Int64

    /// The rows of a store.
    public init(_ rows: [StoredDefinition] = []) {
        all = rows.sorted { $0.number < $1.number }
        lastNumber = all.last?.number ?? 0
    }

    /// Carries out a change.
    ///
    /// - Returns: The numbers of the rows to remove first, and the rows to add then.
    public mutating func apply(
        _ change: DefinitionChange
    ) -> (removed: [Int64], added: [StoredDefinition]) {
        switch change {
        case .put(var definition):
            let removed = remove {
                $0.machine == definition.machine && $0.version == definition.version
            }
            lastNumber += 1
            definition.number = lastNumber
            definition.isRetired = false
            all.append(definition)
            return (removed, [definition])
        case .retire(let machine):
            guard let index = all.lastIndex(where: { $0.machine == machine }) else {
                return ([], [])
            }
            all[index].isRetired = true
            return ([all[index].number], [all[index]])
        case .remove(let machine):
            return (remove { $0.machine == machine }, [])
        case .prune(let machine, let versions):
            return (remove { $0.machine == machine && versions.contains($0.version) }, [])
        }
    }

    private mutating func remove(_ isMeant: (StoredDefinition) -> Bool) -> [Int64] {
        let removed = all.filter(isMeant).map(\.number)
        all.removeAll(where: isMeant)
        return removed
    }
}
