/// The lines of a text, to turn offsets into lines and columns.
struct LineTable: Sendable {
    private let bytes: [UInt8]
    private let starts: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        starts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// Returns line and column of an offset, both counted from 1; columns are Unicode scalars.
    func place(of offset: Int) -> (line: Int, column: Int) {
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        // Every scalar has one byte that isn't a continuation.
        let column = bytes[starts[low]..<offset].count { $0 & 0xC0 != 0x80 }
        return (low + 1, column + 1)
    }
}
