/// A line of a server, classified by its bytes without parsing: the server writes `id` first, and
/// `"ok":true` or `"error"` right after it (protocol.md, "Requests and replies").
enum ReplyLine {
    /// The event with this id was applied.
    case done(id: UInt64)
    /// The event with this id was refused; without an id, the connection.
    case refused(id: UInt64?)
    /// A heartbeat; any line answers it.
    case heartbeat
    /// A greeting or notice.
    case other

    /// Classifies a line without its newline.
    @inline(__always)
    init(_ line: UnsafeRawBufferPointer) {
        guard ReplyLine.begins(line, 0, "{\"id\":") else {
            self = ReplyLine.begins(line, 0, "{\"op\":\"ping\"") ? .heartbeat : .other
            return
        }
        var index = 6
        var id: UInt64 = 0
        while index < line.count, line[index] &- UInt8(ascii: "0") < 10 {
            id = id &* 10 &+ UInt64(line[index] &- UInt8(ascii: "0"))
            index += 1
        }
        if index == 6 {
            self = .refused(id: nil)
        } else if ReplyLine.begins(line, index, ",\"ok\":true") {
            self = .done(id: id)
        } else {
            self = .refused(id: id)
        }
    }

    @inline(__always)
    private static func begins(
        _ line: UnsafeRawBufferPointer, _ offset: Int, _ text: StaticString
    ) -> Bool {
        guard line.count >= offset + text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount
        where line[offset &+ index] != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// The bytes between `key` and the next of `ends`, such as the characters of a string without
    /// escapes; `nil` when `key` isn't in the line.
    static func value(
        in line: UnsafeRawBufferPointer, after key: StaticString, until ends: StaticString
    ) -> UnsafeRawBufferPointer? {
        let last = line.count - key.utf8CodeUnitCount
        guard last >= 0, let start = (0...last).first(where: { begins(line, $0, key) }) else {
            return nil
        }
        let rest = line[(start + key.utf8CodeUnitCount)...]
        let end = ends.withUTF8Buffer { ends in rest.firstIndex { ends.contains($0) } }
        return end.map { UnsafeRawBufferPointer(rebasing: rest[..<$0]) }
    }

    /// Whether the event had been applied before.
    static func isDuplicate(_ line: UnsafeRawBufferPointer) -> Bool {
        value(in: line, after: "\"dup\":true", until: ",}") != nil
    }
}
