import GroveClient

/// Requests of a batch that failed as a whole. Those with the same error are reported together,
/// because a server that stops fails all requests under way.
struct BatchFailures {
    /// Requests with the same error.
    struct Group {
        let error: ClientError
        /// Whether all their lines have keys.
        let hasKeys: Bool
        /// The lines of each request; consecutive requests are one range.
        fileprivate(set) var ranges: [ClosedRange<Int>] = []

        /// The lines, for people: `lines 1 to 800`, `lines 1 to 100 and 301 to 400`.
        var name: String { BatchChunk.name(ranges) }
    }

    private(set) var groups: [Group] = []
    /// The end of the last group's last chunk among all items.
    private var end: Int?

    /// Adds a failed request.
    mutating func add(_ error: ClientError, _ chunk: BatchChunk) {
        guard let lines = chunk.lines else { return }
        let follows = end == chunk.items.startIndex
        end = chunk.items.endIndex
        if groups.last?.error != error || groups.last?.hasKeys != chunk.hasKeys {
            groups.append(Group(error: error, hasKeys: chunk.hasKeys, ranges: [lines]))
            return
        }
        let last = groups.count - 1
        // Lines between two consecutive chunks have no events.
        if follows, let range = groups[last].ranges.popLast() {
            groups[last].ranges.append(range.lowerBound...lines.upperBound)
        } else {
            groups[last].ranges.append(lines)
        }
    }
}
