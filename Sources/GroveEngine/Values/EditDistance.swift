/// How far apart two words are, for suggestions.
package enum EditDistance {
    /// How many letters must be put in, left out, replaced or swapped with their neighbour to
    /// make one word of the other. Takes time and memory in proportion to the product of the
    /// lengths, so it looks at the first ``lengthMax`` letters only.
    package static func between(_ first: String, _ second: String) -> Int {
        let first = Array(first.prefix(lengthMax))
        let second = Array(second.prefix(lengthMax))
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in 0..<first.count {
            var current = [row + 1]
            for column in 0..<second.count {
                let isSame = first[row] == second[column]
                var best = last[column] + (isSame ? 0 : 1)
                best = min(best, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1],
                    first[row - 1] == second[column]
                {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[second.count]
    }

    /// Letters that are looked at.
    package static let lengthMax = 128

    /// The nearest of some words; `nil` when all are further away than `distanceMax` says.
    package static func nearest(
        to word: String, of words: [String], distanceMax: (String) -> Int
    ) -> String? {
        words.map { (word: $0, distance: between(word, $0)) }
            .filter { $0.distance <= distanceMax($0.word) }
            .min { $0.distance < $1.distance }?.word
    }

    /// The word that somebody has most likely meant who wrote another one: at most two letters
    /// away, one where words are short, or the only one that begins like it.
    package static func meant(by word: String, of words: [String]) -> String? {
        guard word.utf8.count <= meantBytesMax else { return nil }
        let word = word.lowercased()
        let longer = words.filter { word.count > 2 && $0.hasPrefix(word) }
        if longer.count == 1 { return longer[0] }
        return nearest(to: word, of: words) { $0.count > 4 ? 2 : 1 }
    }

    /// Bytes of the longest word that is compared with others: it may come from a client.
    package static let meantBytesMax = 200
}
