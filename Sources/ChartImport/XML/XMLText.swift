/// Text of a document with its references resolved, which knows the source of each byte.
struct XMLText: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The pieces that were copied without a change: their places here and in the document.
    private var pieces: [(index: Int, offset: Int)] = []
    /// The place of all bytes, for text of another file.
    private let fixedOffset: Int?

    init() { fixedOffset = nil }

    /// Text of another file, named by something at an offset.
    init(_ bytes: [UInt8], fixedOffset: Int) {
        self.bytes = bytes
        self.fixedOffset = fixedOffset
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends bytes that stand for what begins at an offset.
    mutating func append(_ added: some Collection<UInt8>, from offset: Int) {
        if pieces.last.map({ $0.offset + bytes.count - $0.index != offset }) ?? true {
            pieces.append((bytes.count, offset))
        }
        bytes.append(contentsOf: added)
    }

    /// Appends another text.
    mutating func append(_ other: XMLText) {
        for piece in other.pieces { pieces.append((bytes.count + piece.index, piece.offset)) }
        bytes += other.bytes
    }

    /// Returns the offset in the document of a byte.
    func offset(of index: Int) -> Int {
        if let fixedOffset { return fixedOffset }
        guard let piece = pieces.last(where: { $0.index <= index }) ?? pieces.first else {
            return 0
        }
        return piece.offset + max(index - piece.index, 0)
    }

    /// The text without white space at both ends, and with each run of it inside as one blank.
    var collapsed: String {
        string.split(whereSeparator: { $0.isWhitespace }).joined(separator: " ")
    }

    var isBlank: Bool { bytes.allSatisfy { XMLReader.isSpace($0) } }
}
