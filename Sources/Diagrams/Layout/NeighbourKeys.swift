/// The places of the neighbours of a layer's vertices, ascending for each, one after the other in
/// memory.
struct NeighbourKeys {
    private var keys: [Int] = []
    /// The keys of the vertex at each place.
    private var ranges: [Range<Int>] = []

    /// The number of neighbours, each as often as a segment leads there.
    var count: Int { keys.count }

    /// Begins again with the vertices of a layer.
    mutating func fill(_ vertices: [Int], _ links: LinkTable, _ places: [Int]) {
        keys.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
        for vertex in vertices {
            let start = keys.count
            for index in links[vertex] {
                let link = links.links[index]
                let key = places[Int(link.vertex)] << 16 | Int(link.rank)
                var place = keys.count
                keys.append(key)
                while place > start, keys[place - 1] > key {
                    keys[place] = keys[place - 1]
                    place -= 1
                }
                keys[place] = key
            }
            ranges.append(start..<keys.count)
        }
    }

    /// The crossings that a swap of the vertices at a place and the next one saves.
    func gain(_ place: Int) -> Int {
        let left = ranges[place]
        let right = ranges[place + 1]
        if left.isEmpty || right.isEmpty { return 0 }
        return inversions(left, right) - inversions(right, left)
    }

    /// Swaps the vertices at a place and the next one.
    mutating func swap(_ place: Int) { ranges.swapAt(place, place + 1) }

    /// The pairs of which the first one is greater.
    private func inversions(_ left: Range<Int>, _ right: Range<Int>) -> Int {
        var count = 0
        var next = right.lowerBound
        for index in left {
            while next < right.upperBound, keys[next] < keys[index] { next += 1 }
            count += next - right.lowerBound
        }
        return count
    }
}
