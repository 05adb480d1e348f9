/// The segments of each vertex, one after the other in memory.
struct LinkTable {
    let links: [LayerOrder.Link]
    private let starts: [Int]

    init(_ lists: [[LayerOrder.Link]]) {
        links = lists.flatMap { $0 }
        starts = lists.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    }

    /// The indices of a vertex's segments in ``links``.
    subscript(vertex: Int) -> Range<Int> { starts[vertex]..<starts[vertex + 1] }
}
