extension UnsafeRawBufferPointer {
    /// Whether another buffer begins with these bytes. Eight at a time: it stands on the way of
    /// every request.
    func isPrefix(of other: UnsafeRawBufferPointer) -> Bool {
        guard count <= other.count else { return false }
        var place = 0
        while place + 8 <= count {
            let own = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard own == other.loadUnaligned(fromByteOffset: place, as: UInt64.self) else {
                return false
            }
            place += 8
        }
        while place < count {
            guard self[place] == other[place] else { return false }
            place += 1
        }
        return true
    }
}
