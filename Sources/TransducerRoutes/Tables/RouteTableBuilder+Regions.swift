extension RouteTableBuilder {
    /// Nests a table: while the state is inside the region, its table gets each event first, and
    /// changes only that region. The routes around it handle all other events, and those that enter
    /// or leave the region. All of it is one step.
    ///
    /// The handlers inside run first, then those around it with a matching pattern. Entering and
    /// leaving runs no handler inside. A terminal state inside accepts no events. Of several active
    /// regions, the first that accepts the event applies it, in the order of declaration.
    ///
    /// - Parameters:
    ///   - name: The name in diagrams.
    ///   - table: The routes inside.
    ///   - extract: The state inside, or `nil` where the region isn't active.
    ///   - embed: Puts a new state inside into the state around it.
    ///   - event: The region's form of an event, or `nil` for events of others.
    ///   - raise: The outer form of an event that a handler inside raised.
    ///   - output: The outer form of an output that a handler inside emitted; `nil` drops it.
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
