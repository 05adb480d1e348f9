/// Cuts a stream of bytes into lines, whatever pieces it arrives in.
///
/// A line ends at `\n`; a `\r` before it is dropped, an empty line is skipped (protocol.md,
/// "Lines"). What stands behind the last `\n` when the stream ends is never handed out.
struct LineSplitter {
    private let lineBytesMax: Int
    private var rest: [UInt8] = []
    /// How many bytes of `rest` were already searched for a newline.
    private var searched = 0

    /// A splitter that refuses lines of more than `lineBytesMax` bytes, the newline not counted.
    init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

    /// Takes the next bytes and hands out the lines they complete, in order. Returns `false`
    /// when a line is too long; the splitter is useless from then on.
    mutating func append(_ bytes: UnsafeRawBufferPointer, line: ([UInt8]) -> Void) -> Bool {
        rest.append(contentsOf: bytes)
        var start = 0
        while let newline = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            let isReturn = newline > start && rest[newline - 1] == UInt8(ascii: "\r")
            let end = isReturn ? newline - 1 : newline
            if end - start > lineBytesMax { return false }
            if end > start { line(Array(rest[start..<end])) }
            start = newline + 1
            searched = start
        }
        rest.removeFirst(start)
        searched = rest.count
        return rest.count <= lineBytesMax + 1
    }
}
