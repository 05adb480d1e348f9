import GroveAccess
public import Transducers

extension Reply {
    /// A definition with its machine's events.
    public struct Hosted: Sendable {
        public var definition: DefinitionItem
        /// The events; `nil` if they aren't known.
        public var takes: [TakenEvent]?
        /// What the store holds of the machine; only when it was asked for, and for readers of all
        /// of its instances.
        public var counts: MachineCounts?

        public init(
            definition: DefinitionItem, takes: [TakenEvent]?, counts: MachineCounts? = nil
        ) {
            self.definition = definition
            self.takes = takes
            self.counts = counts
        }
    }

    /// One definition.
    public struct DefinitionItem: Sendable {
        public var name: String
        public var version: String
        /// The definition's hash; `nil` when it isn't loaded any more.
        public var hash: String?
        /// The hold on the whole machine; only in the reply to `definitions`.
        public var held: Hold.Kind?
    }
}

extension Engine {
    /// - Parameter withCounts: Whether the machines have their counts, which are those of the last
    ///   commit: with writes in the batch, it is called after these.
    mutating func definitions(
        withCounts: Bool, for caller: Caller, in turn: Turn
    ) -> Reply {
        let reader = access.subject(of: caller.principal)
        let filter = ReadFilter(reader)
        let counts = withCounts ? turn.store.machineCounts : [:]
        let shown = catalogue.all.filter { filter.includes($0.name) }
        let items = shown.map { definition in
            var item = Reply.DefinitionItem(definition)
            item.held = holds[.machine(definition.name)]?.kind
            // A number tells of all instances, also of those that the reader doesn't see.
            let isCounted = withCounts && reader.allows(.read, machine: definition.name)
            return Reply.Hosted(
                definition: item, takes: definition.takes,
                counts: isCounted ? counts[definition.name] ?? MachineCounts() : nil)
        }
        batch.rely(on: catalogue.all.contains { holds.isPending(.machine($0.name)) })
        return .definitions(items)
    }
}

extension Reply.DefinitionItem {
    init(_ definition: Definition) {
        self.init(name: definition.name, version: definition.version, hash: definition.hash)
    }
}
