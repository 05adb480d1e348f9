/// The known name that a misspelled one resembles.
enum NearName {
    /// Returns the nearest name within ``ChartLimits/suggestionEditsMax`` edits, of several the one
    /// that is sorted first; nil if there is none.
    static func find(_ name: String, among known: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars)
        guard wanted.count <= ChartLimits.nameBytesMax else { return nil }
        // A name of one letter resembles every other one.
        let allowed = wanted.count < 4 ? min(1, wanted.count - 1) : ChartLimits.suggestionEditsMax
        var best: (name: String, edits: Int)?
        for candidate in known where candidate.utf8.count <= 4 * ChartLimits.nameBytesMax {
            let other = Array(candidate.lowercased().unicodeScalars)
            guard abs(other.count - wanted.count) <= allowed else { continue }
            let edits = distance(wanted, other)
            guard edits <= allowed else { continue }
            if let best, (best.edits, best.name) <= (edits, candidate) { continue }
            best = (candidate, edits)
        }
        return best?.name
    }

    /// A clause such as `; did you mean 'states'?`, or nothing.
    static func hint(_ name: String, among known: some Sequence<String>) -> String {
        find(name, among: known).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The insertions, deletions and replacements that make one text of the other.
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var row = Array(0...other.count)
        for (index, scalar) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (scalar == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[other.count]
    }
}
