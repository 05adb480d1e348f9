import CPrefetch

/// The instances in memory, at the indexes from 0 to `count - 1`.
///
/// They are in chunks of fixed size, which never move: a list of a million grows without copying
/// the others. It can't be copied, so a change in place needs no test whether the list is shared.
struct ResidentList: ~Copyable {
    /// Instances per chunk, as a power of 2: a chunk is about a mebibyte.
    private static let chunkBits = 12
    private static let chunkCount = 1 << chunkBits

    private var chunks: [UnsafeMutablePointer<Resident>] = []

    private(set) var count = 0

    deinit {
        for place in 0..<count { address(place).deinitialize(count: 1) }
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

    /// Asks for the memory of an instance, without waiting for it.
    func prefetch(_ place: Int) {
        grove_prefetch_all(address(place), MemoryLayout<Resident>.size)
    }

    /// Asks for what an instance points to, without waiting for it.
    func prefetchContents(_ place: Int) {
        let resident = address(place)
        grove_prefetch(Self.firstWord(&resident.pointee.stored.state))
        grove_prefetch(Self.firstWord(&resident.pointee.stored.skips))
        grove_prefetch_all(Self.firstWord(&resident.pointee.machine), Self.machineBytes)
        if let effects = Self.firstWord(&resident.pointee.effects) {
            grove_prefetch_all(effects, InstanceEffects.objectBytes)
        }
    }

    /// The bytes of a typed instance that are asked for: those of a small one.
    private static let machineBytes = 128

    /// The address of a value's object: of an array's, or of that of an existential whose value
    /// doesn't fit into it. Of another value, any number.
    private static func firstWord<Value>(_ value: inout Value) -> UnsafeRawPointer? {
        withUnsafeBytes(of: &value) { $0.load(as: UnsafeRawPointer?.self) }
    }

    mutating func append(_ resident: consuming Resident) {
        if count == chunks.count << Self.chunkBits {
            chunks.append(.allocate(capacity: Self.chunkCount))
        }
        address(count).initialize(to: resident)
        count += 1
    }

    /// Removes the last instance. Frees chunks that aren't used, except for one.
    mutating func removeLast() -> Resident {
        precondition(count > 0, "a list without instances has no last one")
        count -= 1
        let last = address(count).move()
        if chunks.count > 1, count <= (chunks.count - 2) << Self.chunkBits {
            chunks.removeLast().deallocate()
        }
        return last
    }
}
