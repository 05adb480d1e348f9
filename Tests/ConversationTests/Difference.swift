/// Two texts line by line, as a person reads a difference.
enum Difference {
    /// The lines that differ, with some before and after: `-` what the file says, `+` what came.
    static func of(expected: [String], actual: [String]) -> String {
        var length = Array(
            repeating: Array(repeating: 0, count: actual.count + 1), count: expected.count + 1)
        for left in expected.indices.reversed() {
            for right in actual.indices.reversed() {
                length[left][right] =
                    expected[left] == actual[right]
                    ? length[left + 1][right + 1] + 1
                    : max(length[left + 1][right], length[left][right + 1])
            }
        }
        var lines: [String] = []
        var (left, right) = (0, 0)
        while left < expected.count || right < actual.count {
            if left < expected.count, right < actual.count, expected[left] == actual[right] {
                lines.append("  \(expected[left])")
                left += 1
                right += 1
            } else if right == actual.count
                || (left < expected.count && length[left + 1][right] >= length[left][right + 1])
            {
                lines.append("- \(expected[left])")
                left += 1
            } else {
                lines.append("+ \(actual[right])")
                right += 1
            }
        }
        return withContext(lines, 3)
    }

    private static func withContext(_ lines: [String], _ context: Int) -> String {
        var shown: [String] = []
        var isGap = false
        for index in lines.indices {
            let around = max(0, index - context)...min(lines.count - 1, index + context)
            if lines[around].contains(where: { !$0.hasPrefix("  ") }) {
                shown.append(lines[index])
                isGap = false
            } else if !isGap {
                shown.append("  …")
                isGap = true
            }
        }
        return shown.joined(separator: "\n")
    }
}
