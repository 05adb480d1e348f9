/// A region of a table, for routes that leave it from any state inside (``RouteTableBuilder``).
public struct RouteRegion: Hashable, Sendable {
    let number: Int
}
