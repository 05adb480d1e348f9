/// The fields of a head in their order. One array has the bytes of all, because a request has a
/// dozen of them and each would need two.
public struct HTTPFields: Sendable {
    /// Where a field stands in ``bytes``: its name, and its value at once after it.
    private struct Place: Sendable {
        let start: UInt32
        let nameEnd: UInt32
        let end: UInt32
    }

    /// Most requests need no more.
    private static let usualBytes = 512
    private static let usualFields = 16

    private var bytes: [UInt8] = []
    private var places: [Place] = []
    /// A bit for each length of a name: most names that are looked for aren't there.
    private var lengths: UInt64 = 0

    /// The bytes of all names and values.
    var byteCount: Int { bytes.count }

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - line: The line of a head that has it.
    ///   - nameEnd: Where the name ends that the line begins with.
    ///   - value: Where its value is, without the white space around it.
    mutating func append(_ line: Span<UInt8>, nameEnd: Int, value: Range<Int>) {
        if places.isEmpty {
            bytes.reserveCapacity(Self.usualBytes)
            places.reserveCapacity(Self.usualFields)
        }
        lengths |= Self.bit(of: nameEnd)
        let start = bytes.count
        line.withUnsafeBufferPointer { line in
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: line[..<nameEnd]))
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: line[value]))
        }
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in start..<(start + nameEnd) { bytes[index] = HTTPBytes.lower(bytes[index]) }
        }
        places.append(
            Place(
                start: UInt32(start), nameEnd: UInt32(start + nameEnd), end: UInt32(bytes.count)))
    }

    private static func bit(of length: Int) -> UInt64 { 1 << UInt64(length & 63) }

    /// The index of the first field of a name in lower case, from an index on.
    func index(of name: StaticString, from start: Int = 0) -> Int? {
        let length = name.utf8CodeUnitCount
        guard lengths & Self.bit(of: length) != 0 else { return nil }
        return bytes.withUnsafeBytes { bytes in
            places.indices[start...].first { index in
                let place = places[index]
                return Int(place.nameEnd - place.start) == length
                    && bytes.begins(with: name, at: Int(place.start))
            }
        }
    }
}

extension HTTPFields: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { places.count }

    public subscript(index: Int) -> HTTPField {
        let place = places[index]
        return HTTPField(
            name: bytes[Int(place.start)..<Int(place.nameEnd)],
            value: bytes[Int(place.nameEnd)..<Int(place.end)])
    }
}
