/// A region of a table, as ``RouteTableBuilder`` names it: for routes that leave it from whatever
/// state is active inside.
public struct RouteRegion: Hashable, Sendable {
    let number: Int
}
