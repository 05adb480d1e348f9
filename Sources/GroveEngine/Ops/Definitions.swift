public import Transducers

extension Reply {
    /// One definition, with the events its machine takes, where they are known.
    public struct Hosted: Sendable {
        /// Name, version and hash.
        public var definition: DefinitionItem
        /// The events; `nil` where they aren't known.
        public var takes: [TakenEvent]?

        /// A definition and its events.
        public init(definition: DefinitionItem, takes: [TakenEvent]?) {
            self.definition = definition
            self.takes = takes
        }
    }

    /// One definition.
    public struct DefinitionItem: Sendable {
        /// Its name.
        public var name: String
        /// Its version.
        public var version: String
        /// The hash of what identifies it; `nil` when the definition isn't loaded any more.
        public var hash: String?
        /// How the machine is held as a whole; said in the answer to `definitions` only.
        public var held: Hold.Kind?
    }
}

extension Engine {
    mutating func definitions() -> Reply {
        let items = catalogue.all.map { definition in
            var item = Reply.DefinitionItem(definition)
            item.held = holds[.machine(definition.name)]?.kind
            return Reply.Hosted(definition: item, takes: definition.takes)
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
