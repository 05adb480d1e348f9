/// The offsets of a time zone, from a file of the time zone database (TZif, RFC 9636).
struct ZoneRules: Sendable {
    /// Seconds since the start of 1970, ascending: from each on, the offset of its index holds.
    private var times: [Int64] = []
    private var offsets: [Int] = []
    /// The offset before the first time.
    private var firstOffset = 0
    /// The yearly rules after the last time.
    private var rule: ZoneRule?

    /// Seconds east of UTC at a time, in seconds since the start of 1970.
    func offset(at time: Int64) -> Int {
        guard let first = times.first, let last = times.last else {
            return rule?.offset(at: time) ?? firstOffset
        }
        if time < first { return firstOffset }
        if time >= last, let rule { return rule.offset(at: time) }
        var low = 0
        var high = times.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if times[middle] <= time { low = middle } else { high = middle }
        }
        return offsets[low]
    }

    /// Reads a file.
    ///
    /// - Returns: Nil if the bytes are not a TZif file of version 2 or later.
    init?(tzif bytes: [UInt8]) {
        var reader = BigEndianReader(bytes: bytes)
        guard let first = Header(&reader), first.version >= UInt8(ascii: "2"),
            reader.skip(first.dataBytes(timeBytes: 4)), let header = Header(&reader)
        else { return nil }
        for _ in 0..<header.times {
            guard let time = reader.integer(8) else { return nil }
            times.append(time)
        }
        var types: [Int] = []
        for _ in 0..<header.times {
            guard let type = reader.byte() else { return nil }
            types.append(Int(type))
        }
        var typeOffsets: [Int] = []
        for _ in 0..<header.types {
            guard let offset = reader.integer(4), reader.skip(2) else { return nil }
            typeOffsets.append(Int(offset))
        }
        guard let initial = typeOffsets.first, types.allSatisfy({ $0 < typeOffsets.count }),
            typeOffsets.allSatisfy({ abs($0) < 200_000 }),
            zip(times, times.dropFirst()).allSatisfy(<)
        else { return nil }
        firstOffset = initial
        offsets = types.map { typeOffsets[$0] }
        guard reader.skip(header.afterTypesBytes) else { return nil }
        let footer = reader.rest.split(separator: UInt8(ascii: "\n"))
        if let text = footer.first { rule = ZoneRule(text) }
    }

    /// The counts at the start of a block.
    private struct Header {
        let version: UInt8
        let utcMarks, standardMarks, leaps, times, types, characters: Int

        init?(_ reader: inout BigEndianReader) {
            guard reader.take("TZif"), let version = reader.byte(), reader.skip(15) else {
                return nil
            }
            var counts: [Int] = []
            for _ in 0..<6 {
                guard let count = reader.integer(4), 0...10_000 ~= count else { return nil }
                counts.append(Int(count))
            }
            self.version = version
            (utcMarks, standardMarks, leaps) = (counts[0], counts[1], counts[2])
            (times, types, characters) = (counts[3], counts[4], counts[5])
        }

        var afterTypesBytes: Int { afterTypesBytes(timeBytes: 8) }

        private func afterTypesBytes(timeBytes: Int) -> Int {
            characters + leaps * (timeBytes + 4) + standardMarks + utcMarks
        }

        func dataBytes(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + afterTypesBytes(timeBytes: timeBytes)
        }
    }
}

/// Reads numbers with their highest byte first.
private struct BigEndianReader {
    let bytes: [UInt8]
    var position = 0

    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - position else { return false }
        position += count
        return true
    }

    mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        return skip(text.utf8.count)
    }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// A signed integer of `count` bytes.
    mutating func integer(_ count: Int) -> Int64? {
        guard count <= bytes.count - position else { return nil }
        var value: UInt64 = 0
        for byte in bytes[position..<position + count] { value = value << 8 | UInt64(byte) }
        position += count
        let unused = 64 - count * 8
        return Int64(bitPattern: value << unused) >> unused
    }
}
