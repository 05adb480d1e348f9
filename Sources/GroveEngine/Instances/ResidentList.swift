/// The instances in memory, at the indexes from 0 to `count - 1`.
///
/// They are in chunks of fixed size, which never move: a list of a million grows without copying
/// the others, and a change in place needs no test whether the list is shared. For the same reason
/// it is a class. Its one owner is the ``InstanceTable``, which can't be copied.
final class ResidentList: RandomAccessCollection {
    /// Instances per chunk, as a power of 2: a chunk is about a mebibyte.
    private static let chunkBits = 12
    private static let chunkCount = 1 << chunkBits

    private var chunks: [UnsafeMutablePointer<Resident>] = []

    private(set) var count = 0

    var startIndex: Int { 0 }

    var endIndex: Int { count }

    deinit {
        while count > 0 { _ = removeLast() }
        for chunk in chunks { chunk.deallocate() }
    }

    private func address(_ place: Int) -> UnsafeMutablePointer<Resident> {
        chunks[place >> Self.chunkBits] + (place & (Self.chunkCount - 1))
    }

    /// The instance at an index below `count`.
    subscript(place: Int) -> Resident {
        _read {
            precondition(place >= 0 && place < count, "an instance's place is in the list")
            yield address(place).pointee
        }
        _modify {
            precondition(place >= 0 && place < count, "an instance's place is in the list")
            yield &address(place).pointee
        }
    }

    func append(_ resident: consuming Resident) {
        if count == chunks.count << Self.chunkBits {
            chunks.append(.allocate(capacity: Self.chunkCount))
        }
        address(count).initialize(to: resident)
        count += 1
    }

    /// Removes the last instance. Frees chunks that aren't used, except for one.
    func removeLast() -> Resident {
        precondition(count > 0, "a list without instances has no last one")
        count -= 1
        let last = address(count).move()
        if chunks.count > 1, count <= (chunks.count - 2) << Self.chunkBits {
            chunks.removeLast().deallocate()
        }
        return last
    }
}
