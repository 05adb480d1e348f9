/// Questions about two patterns, for texts in ASCII such as names: for these a character is a byte.
/// Each takes time proportional to the product of their lengths.
extension Glob {
    private static let star = UInt8(ascii: "*")
    private static let one = UInt8(ascii: "?")

    /// Whether a text exists that both patterns match.
    package func overlaps(_ other: Glob) -> Bool {
        let left = bytes
        let right = other.bytes
        // `next[j]`: the rest of `left` after this byte and `right[j...]` have a common text.
        var next = [Bool](repeating: false, count: right.count + 1)
        var row = next
        for i in stride(from: left.count, through: 0, by: -1) {
            for j in stride(from: right.count, through: 0, by: -1) {
                let isLeftStar = i < left.count && left[i] == Self.star
                let isRightStar = j < right.count && right[j] == Self.star
                if i == left.count, j == right.count {
                    row[j] = true
                } else if isLeftStar || isRightStar {
                    // Either star ends here, or takes the other's next byte.
                    row[j] = (i < left.count && next[j]) || (j < right.count && row[j + 1])
                } else {
                    row[j] =
                        i < left.count && j < right.count
                        && (left[i] == right[j] || left[i] == Self.one || right[j] == Self.one)
                        && next[j + 1]
                }
            }
            swap(&row, &next)
        }
        return next[0]
    }

    /// Whether every text that the other pattern matches is matched by this one. Where that is so
    /// only because letters are few, it says no.
    package func covers(_ other: Glob) -> Bool {
        let own = Self.ordered(bytes)
        let part = Self.ordered(other.bytes)
        // `next[j]`: `own[j...]` covers the rest of `part` after this byte.
        var next = [Bool](repeating: false, count: own.count + 1)
        var row = next
        for i in stride(from: part.count, through: 0, by: -1) {
            for j in stride(from: own.count, through: 0, by: -1) {
                if j == own.count {
                    row[j] = i == part.count
                } else if own[j] == Self.star {
                    row[j] = row[j + 1] || (i < part.count && next[j])
                } else if i < part.count, part[i] == Self.star {
                    // The star may stand for nothing, or for one more character.
                    row[j] = own[j] == Self.one && next[j] && row[j + 1]
                } else {
                    row[j] =
                        i < part.count && (own[j] == Self.one || own[j] == part[i])
                        && next[j + 1]
                }
            }
            swap(&row, &next)
        }
        return next[0]
    }

    /// The same pattern with the stars of each run of wildcards as one at its end: `*?*` is `?*`.
    private static func ordered(_ pattern: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var hasStar = false
        for byte in pattern {
            if byte == star {
                hasStar = true
                continue
            }
            if hasStar, byte != one {
                result.append(star)
                hasStar = false
            }
            result.append(byte)
        }
        if hasStar { result.append(star) }
        return result
    }
}
