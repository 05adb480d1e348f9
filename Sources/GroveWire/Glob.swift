/// A pattern of bytes in which `*` stands for any number of bytes and `?` for one character.
public struct Glob: Sendable, Hashable {
    /// The pattern as it was written.
    public let pattern: String
    @usableFromInline let bytes: [UInt8]

    /// Creates a pattern. Every text is one.
    public init(_ pattern: String) {
        self.pattern = pattern
        bytes = Array(pattern.utf8)
    }

    /// Whether the whole text matches. The time is proportional to pattern times text at worst.
    ///
    /// It is inlinable, because every record is held against patterns, and a generic call into
    /// another module would cost more than the match.
    @inlinable
    public func matches(_ text: some BidirectionalCollection<UInt8>) -> Bool {
        var position = text.startIndex
        var index = 0
        var star: (index: Int, position: Int)?
        // Byte positions are counted, so that a star can take the text up again one byte on.
        var offset = 0
        while position < text.endIndex {
            if index < bytes.count, bytes[index] == UInt8(ascii: "*") {
                star = (index, offset)
                index += 1
            } else if index < bytes.count, bytes[index] == UInt8(ascii: "?") {
                repeat {
                    position = text.index(after: position)
                    offset += 1
                } while position < text.endIndex && text[position] & 0xC0 == 0x80
                index += 1
            } else if index < bytes.count, bytes[index] == text[position] {
                position = text.index(after: position)
                offset += 1
                index += 1
            } else if let last = star {
                star = (last.index, last.position + 1)
                index = last.index + 1
                offset = last.position + 1
                position = text.index(text.startIndex, offsetBy: offset)
            } else {
                return false
            }
        }
        return bytes[index...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

extension Glob {
    /// Whether it matches one text only: itself.
    package var isLiteral: Bool { !bytes.contains { $0 == 0x2A || $0 == 0x3F } }

    /// What every matching text begins with.
    package var literalPrefix: String {
        String(decoding: bytes.prefix { $0 != 0x2A && $0 != 0x3F }, as: UTF8.self)
    }

    /// Whether it matches every text.
    package var matchesAll: Bool { !bytes.isEmpty && bytes.allSatisfy { $0 == 0x2A } }
}
