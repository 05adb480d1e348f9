import GroveClient

/// Requests of a batch that failed as a whole: those that failed for the same reason are told
/// together, for when a server goes away it is all that were under way.
struct BatchFailures {
    /// Requests with one fate.
    struct Group {
        let error: ClientError
        /// Whether all their lines have keys.
        let hasKeys: Bool
        /// The numbers of the first and the last line of each, those that follow each other as one.
        private(set) var ranges: [ClosedRange<Int>] = []

        /// The lines, in words: `lines 1 to 800`, `lines 1 to 100 and 301 to 400`.
        var name: String {
            let isOne = ranges.count == 1 && ranges[0].count == 1
            let texts = ranges.map { range in
                range.count == 1
                    ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            }
            guard texts.count > 1 else { return (isOne ? "line " : "lines ") + (texts.first ?? "") }
            return "lines " + texts.dropLast().joined(separator: ", ") + " and "
                + texts[texts.count - 1]
        }

        init(_ error: ClientError, _ chunk: BatchChunk) {
            self.error = error
            hasKeys = chunk.hasKeys
        }

        /// Adds the lines of a request; what lies between its lines and the last ones of the group
        /// was no event.
        mutating func add(_ chunk: BatchChunk, isNext: Bool) {
            guard let first = chunk.items.first?.number, let last = chunk.items.last?.number else {
                return
            }
            if isNext, let range = ranges.popLast() {
                ranges.append(range.lowerBound...max(range.upperBound, last))
            } else {
                ranges.append(first...last)
            }
        }
    }

    private(set) var groups: [Group] = []
    /// Where the last chunk of the last group ends among all items.
    private var end: Int?

    /// A request failed.
    mutating func add(_ error: ClientError, _ chunk: BatchChunk) {
        let isNext = end == chunk.items.startIndex
        end = chunk.items.endIndex
        if let last = groups.last, last.error == error, last.hasKeys == chunk.hasKeys {
            groups[groups.count - 1].add(chunk, isNext: isNext)
        } else {
            var group = Group(error, chunk)
            group.add(chunk, isNext: false)
            groups.append(group)
        }
    }
}
