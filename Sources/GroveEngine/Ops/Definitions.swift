import GroveAccess
public import Transducers

extension Reply {
    /// A definition with its machine's events.
    public struct Hosted: Sendable {
        public var definition: DefinitionItem
        /// The events; `nil` if they aren't known.
        public var takes: [TakenEvent]?

        public init(definition: DefinitionItem, takes: [TakenEvent]?) {
            self.definition = definition
            self.takes = takes
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
    mutating func definitions(for caller: Caller) -> Reply {
        let filter = ReadFilter(access.subject(of: caller.principal))
        let shown = catalogue.all.filter { filter.includes($0.name) }
        let items = shown.map { definition in
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
