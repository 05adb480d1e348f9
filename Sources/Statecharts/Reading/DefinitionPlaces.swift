import OrderedJSON

/// The places of JSON paths in the text of a definition, which is JSON.
///
/// One pass visits the text, whatever the number of paths. It recurses as deep as the text is
/// nested, which reading has bounded.
struct DefinitionPlaces {
    private enum Step: Equatable {
        case member(String)
        case element(Int)
    }

    private let bytes: [UInt8]
    private let paths: [[Step]]
    /// The offset of the last part of each path that is there.
    private var offsets: [Int]
    private var position = 0

    /// The places of paths that ``JSONPath`` has made. One that isn't in the text has the place of
    /// the value around it that is.
    static func find(_ paths: [String], in bytes: [UInt8]) -> [(line: Int, column: Int)] {
        var places = DefinitionPlaces(paths, bytes)
        places.visit(Array(paths.indices), level: 0)
        return places.lines
    }

    private init(_ paths: [String], _ bytes: [UInt8]) {
        self.bytes = bytes
        self.paths = paths.map(Self.steps)
        offsets = Array(repeating: 0, count: paths.count)
    }

    // MARK: Paths

    private static func steps(_ path: String) -> [Step] {
        let text = Array(path.utf8)
        var steps: [Step] = []
        var position = 1
        while position < text.count {
            let start = position + 1
            var end = start
            if text[position] == UInt8(ascii: ".") {
                while end < text.count, !".[".utf8.contains(text[end]) { end += 1 }
                steps.append(.member(String(decoding: text[start..<end], as: UTF8.self)))
                position = end
                continue
            }
            let isName = start < text.count && text[start] == UInt8(ascii: "\"")
            if isName { end = Self.end(ofStringAt: start, in: text) }
            while end < text.count, text[end] != UInt8(ascii: "]") { end += 1 }
            // A path that no reader has made has no place.
            let inner = try? JSONValue(parsing: Array(text[start..<min(end, text.count)]))
            if let name = inner?.string {
                steps.append(.member(name))
            } else {
                steps.append(.element(inner?.integer.flatMap { Int(exactly: $0) } ?? -1))
            }
            position = end + 1
        }
        return steps
    }

    /// The offset after a string's closing quote.
    private static func end(ofStringAt start: Int, in text: [UInt8]) -> Int {
        var end = start + 1
        while end < text.count, text[end] != UInt8(ascii: "\"") {
            end += text[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(end + 1, text.count)
    }

    // MARK: The text

    /// Visits a value. Some paths lead to it or into it.
    private mutating func visit(_ open: [Int], level: Int) {
        skipSpace()
        guard position < bytes.count else { return }
        switch bytes[position] {
        case UInt8(ascii: "{"): visitMembers(open, level)
        case UInt8(ascii: "["): visitElements(open, level)
        case UInt8(ascii: "\""): position = Self.end(ofStringAt: position, in: bytes)
        default:
            while position < bytes.count, !",]} \t\r\n".utf8.contains(bytes[position]) {
                position += 1
            }
        }
    }

    private mutating func visitMembers(_ open: [Int], _ level: Int) {
        position += 1
        while skipTo(UInt8(ascii: "}")) {
            let start = position
            position = Self.end(ofStringAt: start, in: bytes)
            var inner: [Int] = []
            // The text was read before, so a name can be read again.
            if !open.isEmpty, let name = try? JSONValue(parsing: Array(bytes[start..<position])) {
                inner = narrow(open, .member(name.string ?? ""), level, start)
            }
            skipSpace()
            // The colon.
            position += 1
            visit(inner, level: level + 1)
        }
    }

    private mutating func visitElements(_ open: [Int], _ level: Int) {
        position += 1
        var index = 0
        while skipTo(UInt8(ascii: "]")) {
            visit(narrow(open, .element(index), level, position), level: level + 1)
            index += 1
        }
    }

    /// Skips blanks and commas.
    ///
    /// - Returns: Whether something follows before the end of the object or list.
    private mutating func skipTo(_ end: UInt8) -> Bool {
        skipSpace()
        while position < bytes.count, bytes[position] == UInt8(ascii: ",") {
            position += 1
            skipSpace()
        }
        guard position < bytes.count, bytes[position] != end else {
            position += 1
            return false
        }
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, " \t\r\n".utf8.contains(bytes[position]) { position += 1 }
    }

    /// The paths that go on with a step, whose place is noted.
    private mutating func narrow(
        _ open: [Int], _ step: Step, _ level: Int, _ offset: Int
    ) -> [Int] {
        let inner = open.filter { paths[$0].count > level && paths[$0][level] == step }
        for path in inner { offsets[path] = offset }
        return inner
    }

    /// Lines and columns, counted from 1; columns are Unicode scalars.
    private var lines: [(line: Int, column: Int)] {
        var result = Array(repeating: (line: 1, column: 1), count: offsets.count)
        var (offset, line, column) = (0, 1, 1)
        for path in offsets.indices.sorted(by: { offsets[$0] < offsets[$1] }) {
            while offset < offsets[path] {
                if bytes[offset] == UInt8(ascii: "\n") {
                    line += 1
                    column = 1
                } else if offset + 1 < bytes.count, bytes[offset + 1] & 0xC0 != 0x80 {
                    column += 1
                }
                offset += 1
            }
            result[path] = (line, column)
        }
        return result
    }
}
