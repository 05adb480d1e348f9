/// How far apart two words are, for suggestions.
enum EditDistance {
    /// How many letters must be put in, left out, replaced or swapped with their neighbour to
    /// make one word of the other. Takes time and memory in proportion to the product of the
    /// lengths, so it looks at the first ``lengthMax`` letters only.
    static func between(_ first: String, _ second: String) -> Int {
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
    static let lengthMax = 128

    /// The nearest of some words; `nil` when all are further away than `distanceMax` says.
    static func nearest(
        to word: String, of words: [String], distanceMax: (String) -> Int
    ) -> String? {
        words.map { (word: $0, distance: between(word, $0)) }
            .filter { $0.distance <= distanceMax($0.word) }
            .min { $0.distance < $1.distance }?.word
    }
}
