/// Counts the pairs in a list of which the first is greater than the second, by merging: in
/// n log n steps.
struct InversionCount {
    private var values: [Int] = []
    private var other: [Int] = []
    private var group: [(Int32, Int)] = []

    mutating func removeAll() { values.removeAll(keepingCapacity: true) }

    /// Appends a value to a group, in the order of ranks, and of values among equal ranks.
    mutating func append(_ value: Int, rank: Int32) {
        let pair = (rank, value)
        var place = group.count
        group.append(pair)
        // Most groups have one or two elements.
        while place > 0, group[place - 1] > pair {
            group[place] = group[place - 1]
            place -= 1
        }
        group[place] = pair
    }

    /// Ends a group: what follows is after all of it.
    mutating func endGroup() {
        for pair in group { values.append(pair.1) }
        group.removeAll(keepingCapacity: true)
    }

    /// The number of pairs; the list is sorted afterwards.
    mutating func count() -> Int {
        var count = 0
        var width = 1
        other = values
        while width < values.count {
            var start = 0
            while start < values.count {
                let middle = min(start + width, values.count)
                let end = min(start + 2 * width, values.count)
                count += merge(start, middle, end)
                start = end
            }
            swap(&values, &other)
            width *= 2
        }
        return count
    }

    private mutating func merge(_ start: Int, _ middle: Int, _ end: Int) -> Int {
        var count = 0
        var left = start
        var right = middle
        for place in start..<end {
            if right >= end || (left < middle && values[left] <= values[right]) {
                other[place] = values[left]
                left += 1
            } else {
                other[place] = values[right]
                right += 1
                count += middle - left
            }
        }
        return count
    }
}
