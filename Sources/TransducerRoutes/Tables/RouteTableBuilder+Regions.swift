extension RouteTableBuilder {
    /// Nests a table: as long as the state is inside the region, its table gets each event first,
    /// and what it takes moves that region alone. Events it doesn't take, and those that enter or
    /// leave the region, are a matter of the routes around it. It is all one step.
    ///
    /// The handlers inside run first, then those around it whose pattern fits. Entering and leaving
    /// runs no handler inside. A terminal state inside takes nothing any more. Of several active
    /// regions, the first in the order of declaration that takes the event gets it.
    ///
    /// - Parameters:
    ///   - name: What it is called in diagrams.
    ///   - table: The routes inside.
    ///   - extract: The state inside, or `nil` where the region isn't active.
    ///   - embed: Puts a new state inside into the state around it.
    ///   - event: The event as the region knows it, or `nil` for events that aren't its own.
    ///   - raise: The event around for one that a handler inside raised.
    ///   - output: The output around for one that a handler inside emitted; `nil` drops it.
    @discardableResult
    public mutating func region<Child, ChildEvent, ChildOutput>(
        _ name: String, _ table: RouteTable<Child, ChildEvent, ChildOutput>,
        extract: @escaping @Sendable (State) -> Child?,
        embed: @escaping @Sendable (Child, inout State) -> Void,
        event: @escaping @Sendable (Event) -> ChildEvent?,
        raise: @escaping @Sendable (ChildEvent) -> Event,
        output: @escaping @Sendable (ChildOutput) -> Output?
    ) -> RouteRegion {
        let embedding = RouteEmbedding(
            table: table, extract: extract, embed: embed, event: event, raise: raise,
            output: output)
        return add(region: embedding.body(named: name, number: regions.count))
    }

    /// Nests a table with the same events and outputs in a case of an enum:
    /// `embed: State.playing` and an `extract` that reads that case.
    @discardableResult
    public mutating func region<Child>(
        _ name: String, _ table: RouteTable<Child, Event, Output>,
        extract: @escaping @Sendable (State) -> Child?,
        embed: @escaping @Sendable (Child) -> State
    ) -> RouteRegion {
        region(
            name, table, extract: extract, embed: { $1 = embed($0) }, event: { $0 },
            raise: { $0 }, output: { $0 })
    }

    /// Nests a table with the same events and outputs in a property, where the region is always
    /// active: two of these are two machines side by side.
    @discardableResult
    public mutating func region<Child>(
        _ name: String, _ table: RouteTable<Child, Event, Output>,
        at property: any WritableKeyPath<State, Child> & Sendable
    ) -> RouteRegion {
        region(
            name, table, extract: { $0[keyPath: property] },
            embed: { $1[keyPath: property] = $0 }, event: { $0 }, raise: { $0 }, output: { $0 })
    }
}
