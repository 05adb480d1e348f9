import GroveClient

/// Lines of a file that are sent as one request.
struct BatchChunk {
    let items: ArraySlice<BatchFile.Item>

    var instances: Set<String> { Set(items.map(\.instance)) }

    /// Whether every line has a dedup key, so that the request can be sent again.
    var hasKeys: Bool { items.allSatisfy(\.hasKey) }

    /// The numbers of its first and last line; `nil` for an empty chunk.
    var lines: ClosedRange<Int>? {
        guard let first = items.first, let last = items.last else { return nil }
        return first.number...last.number
    }

    /// Its lines, for people.
    var name: String { BatchChunk.name(lines.map { [$0] } ?? []) }

    /// Ranges of lines, for people: `line 7`, `lines 1 to 100 and 301 to 400`.
    static func name(_ ranges: [ClosedRange<Int>]) -> String {
        let isOne = ranges.count == 1 && ranges[0].count == 1
        let texts = ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        }
        let last = texts.suffix(1)
        let others = texts.dropLast().joined(separator: ", ")
        return (isOne ? "line " : "lines ")
            + ((others.isEmpty ? [] : [others]) + last).joined(separator: " and ")
    }

    /// The request, marked as repeatable if all lines have keys.
    func request(atomic isAtomic: Bool) -> Request {
        var request = Request.batch(items.map { BatchItem(text: $0.text) }, atomic: isAtomic)
        request.isRepeatable = hasKeys
        return request
    }

    /// Divides a file into chunks of at most `linesMax` lines and `bytesMax` bytes.
    ///
    /// - Parameter isWhole: Whether `linesMax` lines belong together: then a chunk isn't divided
    ///   because of its bytes.
    /// - Returns: The chunks; `nil` when lines that belong together have too many bytes.
    static func cut(
        _ items: [BatchFile.Item], lines linesMax: Int, bytes bytesMax: Int, whole isWhole: Bool
    ) -> [BatchChunk]? {
        var chunks: [BatchChunk] = []
        var begin = 0
        var bytes = 0
        for (index, item) in items.enumerated() {
            let size = item.text.count + 1
            let isFull = index - begin == linesMax
            if index > begin, isFull || bytes + size > bytesMax {
                if isWhole, !isFull { return nil }
                chunks.append(BatchChunk(items: items[begin..<index]))
                begin = index
                bytes = 0
            }
            bytes += size
        }
        if begin < items.count { chunks.append(BatchChunk(items: items[begin...])) }
        return chunks
    }
}
