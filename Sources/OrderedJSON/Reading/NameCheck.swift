/// Finds a name that one object has twice: RFC 7493 section 2.3, compared by code point after
/// unescaping, which for UTF-8 is the same as byte by byte.
///
/// The cost is linear for small objects and n log n for large ones, whatever the names are.
/// The pointers are the scanner's and are used within the bounds it proves; a name of n bytes
/// begins at least n + 1 bytes before the padding, so loading its first eight bytes stays inside.
struct NameCheck {
    let text: UnsafePointer<UInt8>
    let tape: UnsafeMutablePointer<TapeEntry>
    /// The index of a closed object's entry.
    let object: Int

    /// The offset of the first repeated name; nil if all are distinct.
    @inline(__always)
    func repeatedName() -> Int? {
        var seen: UInt64 = 0
        var node = object + 1
        let end = Int(tape[object].next)
        while node < end {
            let name = tape[node]
            let bit = slot(name)
            if seen & bit != 0 || name.isFlagged { return carefully() }
            seen |= bit
            node = Int(tape[node + 1].next)
        }
        return nil
    }

    /// One of 64 bits, the same for names that are equal and free of escapes.
    @inline(__always)
    private func slot(_ name: TapeEntry) -> UInt64 {
        let length = Int(name.end &- name.start) &- 2
        let hash =
            (head(name, length) ^ UInt64(truncatingIfNeeded: length))
            &* 0x9E37_79B9_7F4A_7C15
        return 1 << (hash >> 58)
    }

    /// The first eight bytes of a name, with zeros after a shorter one. No name holds a raw zero
    /// byte, so two of at most eight bytes are equal exactly if their heads are.
    @inline(__always)
    private func head(_ name: TapeEntry, _ length: Int) -> UInt64 {
        let word = EightBytes.load(text + Int(name.start) + 1)
        return length >= 8 ? word : word & ((1 << (UInt64(length) &* 8)) &- 1)
    }

    @inline(never)
    private func carefully() -> Int? {
        var hasEscapes = false
        var node = object + 1
        let end = Int(tape[object].next)
        while node < end {
            if tape[node].isFlagged { hasEscapes = true }
            node = Int(tape[node + 1].next)
        }
        if hasEscapes || tape[object].count > JSONLimits.membersInPairsMax { return bySorting() }
        return inPairs()
    }

    private func inPairs() -> Int? {
        let end = Int(tape[object].next)
        var node = Int(tape[object + 2].next)
        while node < end {
            var earlier = object + 1
            while earlier < node {
                if isEqual(tape[earlier], tape[node]) { return Int(tape[node].start) }
                earlier = Int(tape[earlier + 1].next)
            }
            node = Int(tape[node + 1].next)
        }
        return nil
    }

    /// Whether two names without escapes are equal.
    private func isEqual(_ one: TapeEntry, _ other: TapeEntry) -> Bool {
        let length = Int(one.end &- one.start) &- 2
        guard length == Int(other.end &- other.start) &- 2,
            head(one, length) == head(other, length)
        else { return false }
        if length <= 8 { return true }
        let left = text + Int(one.start) + 1
        let right = text + Int(other.start) + 1
        var index = 8
        while index < length, left[index] == right[index] { index += 1 }
        return index == length
    }

    // MARK: Many names, or escaped ones

    /// An unescaped name: a range of the collected bytes, and its offset in the text.
    private struct Name {
        /// The first eight bytes, the first one highest, so that comparing heads compares bytes.
        let head: UInt64
        let start: Int
        let end: Int
        let offset: Int
    }

    private func bySorting() -> Int? {
        let (bytes, names) = collected()
        let sorted = names.sorted { one, other in
            if one.head != other.head { return one.head < other.head }
            let order = Self.compare(bytes, one, other)
            return order == 0 ? one.offset < other.offset : order < 0
        }
        var found: Int?
        for (one, other) in zip(sorted, sorted.dropFirst())
        where one.head == other.head && Self.compare(bytes, one, other) == 0 {
            found = min(found ?? other.offset, other.offset)
        }
        return found
    }

    private func collected() -> (bytes: [UInt8], names: [Name]) {
        var bytes: [UInt8] = []
        var names: [Name] = []
        names.reserveCapacity(tape[object].count)
        var node = object + 1
        let end = Int(tape[object].next)
        while node < end {
            let name = tape[node]
            let start = bytes.count
            let content = UnsafeBufferPointer(
                start: text + Int(name.start) + 1, count: Int(name.end - name.start) - 2)
            if name.isFlagged {
                bytes.append(unescaping: content)
            } else {
                bytes.append(contentsOf: content)
            }
            var head: UInt64 = 0
            for index in start..<start + 8 {
                head = head << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
            }
            names.append(
                Name(head: head, start: start, end: bytes.count, offset: Int(name.start)))
            node = Int(tape[node + 1].next)
        }
        return (bytes, names)
    }

    /// The order of two names' bytes: below 0, 0 or above 0.
    private static func compare(_ bytes: [UInt8], _ one: Name, _ other: Name) -> Int {
        let shared = min(one.end - one.start, other.end - other.start)
        for index in 0..<shared where bytes[one.start + index] != bytes[other.start + index] {
            return Int(bytes[one.start + index]) - Int(bytes[other.start + index])
        }
        return (one.end - one.start) - (other.end - other.start)
    }
}
