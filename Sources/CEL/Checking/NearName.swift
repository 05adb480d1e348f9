/// Suggestions for mistyped names. The engine has its own for commands and members; this library
/// must be usable without it.
enum NearName {
    /// The name that differs least: in at most two letters, one for names of up to four letters.
    /// Names of one or two letters have none.
    static func nearest(to name: String, among names: some Sequence<String>) -> String? {
        guard 3...CELLimits.suggestionBytesMax ~= name.utf8.count else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in names.prefix(CELLimits.suggestionNamesMax)
        where candidate.utf8.count <= CELLimits.suggestionBytesMax {
            guard abs(candidate.utf8.count - name.utf8.count) <= 2 else { continue }
            let distance = distance(Array(name.utf8), Array(candidate.utf8))
            guard distance <= (candidate.utf8.count > 4 ? 2 : 1) else { continue }
            let found = (candidate, distance)
            if let known = best, (known.distance, known.name) < (distance, candidate) { continue }
            best = found
        }
        return best?.name
    }

    /// The bytes to insert, delete, replace or swap with their neighbor.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var rows = [Array(0...other.count)]
        for row in one.indices {
            var current = [row + 1]
            for column in other.indices {
                let replaced = rows[row][column] + (one[row] == other[column] ? 0 : 1)
                var best = min(replaced, rows[row][column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, one[row] == other[column - 1],
                    one[row - 1] == other[column]
                {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows[one.count][other.count]
    }
}
