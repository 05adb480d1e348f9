/// The distance between two words, for suggestions.
package enum EditDistance {
    /// The number of letters to insert, delete, replace, or swap with a neighbor. Time and memory
    /// are proportional to the product of the lengths, so only the first
    /// ``Limits/comparedLettersMax`` letters count.
    package static func between(_ first: String, _ second: String) -> Int {
        let first = Array(first.prefix(Limits.comparedLettersMax))
        let second = Array(second.prefix(Limits.comparedLettersMax))
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

    /// The nearest of some words; `nil` when all are further away than `distanceMax` allows.
    package static func nearest(
        to word: String, of words: [String], distanceMax: (String) -> Int
    ) -> String? {
        words.map { (word: $0, distance: between(word, $0)) }
            .filter { $0.distance <= distanceMax($0.word) }
            .min { $0.distance < $1.distance }?.word
    }

    /// The most likely word for a mistyped one: at most two letters away, one for short words, or
    /// the only one with the same beginning.
    package static func meant(by word: String, of words: [String]) -> String? {
        guard word.utf8.count <= Limits.suggestionBytesMax else { return nil }
        let word = word.lowercased()
        let longer = words.filter { word.count > 2 && $0.hasPrefix(word) }
        if longer.count == 1 { return longer[0] }
        return nearest(to: word, of: words) { $0.count > 4 ? 2 : 1 }
    }
}
