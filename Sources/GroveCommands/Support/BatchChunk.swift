import GroveClient

/// Lines of a file that go out as one request.
struct BatchChunk {
    let items: ArraySlice<BatchFile.Item>

    /// The instances its events are for.
    var instances: Set<String> { Set(items.map(\.instance)) }

    /// Whether every line has a dedup key, so that the request can be sent again.
    var hasKeys: Bool { items.allSatisfy(\.hasKey) }

    /// What it is called.
    var name: String {
        let (first, last) = (items.first?.number ?? 0, items.last?.number ?? 0)
        return first == last ? "line \(first)" : "lines \(first) to \(last)"
    }

    /// The request, which says whether it can be repeated.
    func request(atomic isAtomic: Bool) -> Request {
        var request = Request.batch(items.map { BatchItem(text: $0.text) }, atomic: isAtomic)
        request.isRepeatable = hasKeys
        return request
    }

    /// Cuts a file into chunks of so many lines, and no more bytes than a request has room for.
    ///
    /// - Parameter isWhole: Whether so many lines belong together: then a chunk isn't cut because
    ///   of its bytes.
    /// - Returns: The chunks; `nil` where lines that belong together have too many bytes.
    static func cut(
        _ items: [BatchFile.Item], lines linesMax: Int, bytes bytesMax: Int, whole isWhole: Bool
    ) -> [BatchChunk]? {
        var chunks: [BatchChunk] = []
        var begin = 0
        var bytes = 0
        for (place, item) in items.enumerated() {
            let size = item.text.count + 1
            let isFull = place - begin == linesMax
            if place > begin, isFull || bytes + size > bytesMax {
                if isWhole, !isFull { return nil }
                chunks.append(BatchChunk(items: items[begin..<place]))
                begin = place
                bytes = 0
            }
            bytes += size
        }
        if begin < items.count { chunks.append(BatchChunk(items: items[begin...])) }
        return chunks
    }
}
