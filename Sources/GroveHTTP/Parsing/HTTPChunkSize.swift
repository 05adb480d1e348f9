/// Reads the line before the data of a chunk (RFC 9112, section 7.1).
enum HTTPChunkSize {
    /// The size, and the bytes of the extensions, which mean nothing here.
    static func read(
        _ line: Span<UInt8>
    ) throws(HTTPRefusal) -> (size: Int, extensionBytes: Int) {
        var size = 0
        var digits = 0
        while digits < line.count, let digit = HTTPBytes.hex(line[digits]) {
            guard digits < HTTPLimits.chunkDigitsMax else { break }
            size = size << 4 | Int(digit)
            digits += 1
        }
        guard digits > 0, digits == line.count || HTTPBytes.hex(line[digits]) == nil else {
            throw HTTPRefusal(
                400,
                "the size of a chunk has 1 to \(HTTPLimits.chunkDigitsMax) hexadecimal digits")
        }
        guard areExtensions(line, from: digits) else {
            throw HTTPRefusal(400, "after the size of a chunk comes the end of the line")
        }
        return (size, line.count - digits)
    }

    /// Whether the rest of a line is a list of extensions (RFC 9112, section 7.1.1).
    private static func areExtensions(_ line: Span<UInt8>, from start: Int) -> Bool {
        var index = start
        while index < line.count {
            guard takeMark(UInt8(ascii: ";"), line, &index), takeToken(line, &index) else {
                return false
            }
            if takeMark(UInt8(ascii: "="), line, &index) {
                let isQuoted = index < line.count && line[index] == UInt8(ascii: "\"")
                guard isQuoted ? takeQuoted(line, &index) : takeToken(line, &index) else {
                    return false
                }
            }
        }
        return true
    }

    /// Takes a mark with the white space around it; nothing if there is no such mark.
    private static func takeMark(
        _ mark: UInt8, _ line: Span<UInt8>, _ index: inout Int
    ) -> Bool {
        var end = index
        while end < line.count, HTTPBytes.isBlank(line[end]) { end += 1 }
        guard end < line.count, line[end] == mark else { return false }
        end += 1
        while end < line.count, HTTPBytes.isBlank(line[end]) { end += 1 }
        index = end
        return true
    }

    private static func takeToken(_ line: Span<UInt8>, _ index: inout Int) -> Bool {
        let start = index
        while index < line.count, HTTPBytes.isToken(line[index]) { index += 1 }
        return index > start
    }

    /// Takes a text in quotes, in which a backslash stands before a byte.
    private static func takeQuoted(_ line: Span<UInt8>, _ index: inout Int) -> Bool {
        index += 1
        while index < line.count {
            let byte = line[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard HTTPBytes.isValue(byte) else { return false }
            if byte == UInt8(ascii: "\\") {
                guard index < line.count, HTTPBytes.isValue(line[index]) else { return false }
                index += 1
            }
        }
        return false
    }
}
