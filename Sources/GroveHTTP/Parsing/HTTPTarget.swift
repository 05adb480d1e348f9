/// The parts of a target. A path is never normalised: what isn't written plainly is refused.
public enum HTTPTarget {
    /// The segments of a path, each decoded once. One without escapes is a part of the path.
    ///
    /// - Returns: 404 for empty segments, `.` and `..`; 400 for escapes that are none, and for
    ///   those of a slash, of a control character, and of what is no UTF-8.
    public static func segments(of path: [UInt8]) -> Result<[ArraySlice<UInt8>], HTTPRefusal> {
        guard path.first == UInt8(ascii: "/") else {
            return .failure(HTTPRefusal(400, "a path begins with a slash"))
        }
        if path.count == 1 { return .success([]) }
        var segments: [ArraySlice<UInt8>] = []
        segments.reserveCapacity(usualSegments)
        var start = 1
        while start <= path.count {
            var end = start
            var isPlain = true
            while end < path.count, path[end] != UInt8(ascii: "/") {
                isPlain = isPlain && !isEscaped(path[end])
                end += 1
            }
            let part = path[start..<end]
            start = end + 1
            guard let segment = isPlain ? part : decode(part),
                isPlain || !segment.contains(UInt8(ascii: "/"))
            else {
                return .failure(HTTPRefusal(400, "the path has an escape that means nothing here"))
            }
            guard !isPoints(segment) else {
                return .failure(HTTPRefusal(404, "a path has no empty segments and no points"))
            }
            segments.append(segment)
        }
        return .success(segments)
    }

    /// Most paths have no more.
    private static let usualSegments = 6

    /// Whether a byte isn't itself, or isn't a character alone.
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte >= 0x80
    }

    /// Whether it is empty, one point or two: what other programs leave out of a path.
    private static func isPoints(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.count <= 2 && segment.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// The names and values of a query, in their order. A plus is a plus, a pair without `=` has an
    /// empty value, and an empty query has no pairs.
    ///
    /// - Returns: 400 for a name that stands twice, and for escapes that are none.
    public static func query(
        _ text: [UInt8]
    ) -> Result<[(name: String, value: String)], HTTPRefusal> {
        // Before anything is decoded: thousands take a millisecond.
        guard text.count(where: { $0 == UInt8(ascii: "&") }) < HTTPLimits.parametersMax else {
            return .failure(
                HTTPRefusal(400, "a query has at most \(HTTPLimits.parametersMax) parameters"))
        }
        var pairs: [(name: String, value: String)] = []
        // A set, because a query has room for thousands of names.
        var names: Set<String> = []
        guard !text.isEmpty else { return .success([]) }
        for part in text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let halves = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(halves[0]), !name.isEmpty,
                let value = decode(halves.count > 1 ? halves[1] : [])
            else {
                return .failure(HTTPRefusal(400, "the query isn't name=value&name=value"))
            }
            let key = String(decoding: name, as: UTF8.self)
            guard names.insert(key).inserted else {
                return .failure(HTTPRefusal(400, "\(key) stands twice in the query"))
            }
            pairs.append((key, String(decoding: value, as: UTF8.self)))
        }
        return .success(pairs)
    }

    /// The bytes of an escaped text; `nil` for an escape that is none, a control character, and
    /// what is no UTF-8.
    private static func decode(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.contains(where: isEscaped) else { return text }
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(HTTPBytes.hex),
                let low = rest.popFirst().flatMap(HTTPBytes.hex)
            else { return nil }
            let decoded = high << 4 | low
            guard decoded >= 0x20, decoded != 0x7F else { return nil }
            bytes.append(decoded)
        }
        return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes[...]
    }
}
