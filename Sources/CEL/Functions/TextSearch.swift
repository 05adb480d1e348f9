/// Finds a sequence within another in time that grows with the sum of their lengths (Knuth,
/// Morris, Pratt).
struct TextSearch<Unit: Equatable> {
    private let wanted: [Unit]
    /// For each prefix, the length of its longest proper prefix that is also its end.
    private var borders: [Int] = [0]

    /// A search for a sequence that isn't empty.
    init(_ wanted: [Unit]) {
        self.wanted = wanted
        var length = 0
        for index in wanted.indices.dropFirst() {
            while length > 0, wanted[index] != wanted[length] { length = borders[length - 1] }
            if wanted[index] == wanted[length] { length += 1 }
            borders.append(length)
        }
    }

    /// The first place at `start` or after it.
    func first(in text: [Unit], from start: Int = 0) -> Int? {
        var length = 0
        for index in start..<max(start, text.count) {
            while length > 0, text[index] != wanted[length] { length = borders[length - 1] }
            if text[index] == wanted[length] { length += 1 }
            if length == wanted.count { return index + 1 - length }
        }
        return nil
    }

    /// The places that don't overlap, from the first on; at most `limit` ones.
    func places(in text: [Unit], limit: Int) -> [Int] {
        var places: [Int] = []
        var start = 0
        while places.count < limit, let place = first(in: text, from: start) {
            places.append(place)
            start = place + wanted.count
        }
        return places
    }
}
