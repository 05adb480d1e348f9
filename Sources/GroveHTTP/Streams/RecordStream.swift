import GroveWire
import OrderedJSON

/// Records as the body of an answer: events for `EventSource` (server-sent events, as WHATWG's HTML
/// defines them), or lines of JSON.
///
/// Each record is a chunk of its own (RFC 9112, section 7.1), so a proxy can pass it on at once. A
/// client of HTTP/1.0 knows no chunks: there the end of the connection is the end.
struct RecordStream: Sendable {
    /// Whether records are events, and not lines.
    let areEvents: Bool
    let isChunked: Bool

    static let eventStreamType: StaticString = "text/event-stream"
    static let linesType: StaticString = "application/x-ndjson"
    /// The beginning of a line with a record of the only subscription.
    static let recordStart: StaticString = #"{"sub":"r","#

    /// Begins an event stream: the time after which a client comes back.
    func begin(_ writer: inout JSONWriter) {
        guard areEvents else { return }
        chunk(&writer) { $0.literal("retry: 1000\n\n") }
    }

    /// Appends a record or a mark.
    ///
    /// - Parameter rest: Its line without newline, after ``recordStart``.
    func append(_ rest: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        guard areEvents else {
            return chunk(&writer) { writer in
                writer.bytes.append(UInt8(ascii: "{"))
                writer.bytes.append(contentsOf: rest)
                writer.bytes.append(UInt8(ascii: "\n"))
            }
        }
        chunk(&writer) { writer in
            let cursor = Self.cursor(of: rest)
            if let cursor, rest.begins(with: #"","mark":"#, at: cursor.upperBound) {
                writer.literal("event: mark\n")
            }
            // What stands before the record is one append: each further one costs 4 ns.
            let count = (cursor?.count ?? -5) + 12
            withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { head in
                var place = 0
                func put(_ text: StaticString) {
                    for offset in 0..<text.utf8CodeUnitCount {
                        head[place + offset] = text.utf8Start[offset]
                    }
                    place += text.utf8CodeUnitCount
                }
                if let cursor {
                    put("id: ")
                    let text = UnsafeRawBufferPointer(rebasing: rest[cursor])
                    UnsafeMutableRawBufferPointer(rebasing: head[place...]).copyMemory(from: text)
                    place += text.count
                    put("\n")
                }
                put("data: {")
                writer.bytes.append(contentsOf: UnsafeRawBufferPointer(head))
            }
            writer.bytes.append(contentsOf: rest)
            writer.literal("\n\n")
        }
    }

    /// Shows the client, and proxies, that the connection is alive.
    func beat(_ writer: inout JSONWriter) {
        chunk(&writer) { $0.literal(areEvents ? ":\n\n" : "\n") }
    }

    /// Ends the body.
    func end(_ writer: inout JSONWriter) {
        if isChunked { writer.literal("0\r\n\r\n") }
    }

    /// The place of the cursor's text; `nil` for a record of a snapshot, which has none.
    private static func cursor(of rest: UnsafeRawBufferPointer) -> Range<Int>? {
        guard rest.begins(with: #""cur":""#) else { return nil }
        let start = 7
        var end = start
        while end < rest.count, rest[end] != UInt8(ascii: "\"") { end += 1 }
        return end < rest.count ? start..<end : nil
    }

    /// Writes a chunk around what `write` appends. The size has eight digits, because it is known
    /// only afterwards.
    private func chunk(_ writer: inout JSONWriter, _ write: (inout JSONWriter) -> Void) {
        guard isChunked else { return write(&writer) }
        let place = writer.bytes.count
        writer.literal("00000000\r\n")
        write(&writer)
        var size = writer.bytes.count - place - 10
        var digit = place + 7
        while size > 0 {
            let value = UInt8(size & 15)
            writer.bytes[digit] = value < 10 ? value + 0x30 : value - 10 + 0x61
            size >>= 4
            digit -= 1
        }
        writer.literal("\r\n")
    }
}
