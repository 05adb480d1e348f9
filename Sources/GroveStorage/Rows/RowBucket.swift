import CPrefetch
import GroveEngine

/// The rows of instances with neighboring numbers that are behind the journal, about a page of
/// them. They are written together.
///
/// The rows are in one buffer, in the order in which they came: a changed row costs no allocation,
/// and a waiting one little more than its bytes. An object, so that a change finds its bucket once;
/// its variables are private and its functions call no others that could change them, so that
/// dynamic checks of exclusive access, which cost as much as the change, are off for the largest.
final class RowBucket {
    /// The instances' numbers without their last ``StoreLimits/bucketBits`` bits.
    typealias ID = Int64

    static func id(of number: Int64) -> ID { number >> StoreLimits.bucketBits }

    let id: ID

    /// The rows in their tables hold all steps up to here.
    var since: RedoPoint

    /// Whether the rows are written and durable. The bucket is then not used any more.
    private(set) var isWritten = false

    /// Whether it waits among the full buckets.
    var isFull = false

    /// The journal steps from which its rows are still to be made; 0 when they are here.
    var unmadeSteps = 0

    /// Whether its rows are still to be made. `since` is then the first step that they may lack.
    var isUnmade: Bool { unmadeSteps > 0 }

    /// A bit for each instance with a row of `instances`.
    private var mask: UInt64 = 0

    /// The places of these rows, in the order of numbers.
    @exclusivity(unchecked) private var rows: [Row] = []

    /// Names and snapshots.
    @exclusivity(unchecked) private var buffer: [UInt8] = []

    /// The bytes of `buffer` that no row uses.
    private var unusedBytes = 0

    private var dedups: [DedupKey: DedupEntry] = [:]

    /// The effects without rows, in the order of refs.
    private(set) var effects: [StoredEffect] = []

    /// Estimated bytes of `effects`.
    private var effectBytes = 0

    /// The place of a row: its name, its snapshot, and some room to grow.
    private struct Row {
        var start: UInt32
        var nameBytes: UInt16
        var count: UInt16
        var room: UInt16

        /// Bytes by which a snapshot may grow in its place: its integers and its state often do.
        static let slack = 8

        var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
    }

    private struct DedupKey: Hashable {
        var number: Int64
        var key: [UInt8]
    }

    /// Estimated bytes of a bucket besides its rows, in all tables.
    static let overhead = 256

    /// Estimated bytes of a row besides its name and its snapshot.
    static let rowOverhead = MemoryLayout<Row>.stride + Row.slack

    /// Estimated bytes of a dedup entry with a key of the usual length.
    static let dedupOverhead = 256

    init(id: ID, since: RedoPoint) {
        self.id = id
        self.since = since
    }

    /// The number of rows, of dedup records too, and of steps from which rows are to be made.
    var count: Int { rows.count + dedups.count + effects.count + unmadeSteps }

    /// Estimated bytes in memory.
    var bytes: Int {
        Self.overhead + buffer.capacity + rows.capacity * MemoryLayout<Row>.stride
            + dedups.count * Self.dedupOverhead + effectBytes
    }

    // MARK: Reading

    /// Calls `body` with the name and the snapshot of an instance. Returns `nil` if its row isn't
    /// behind.
    func withRow<Result>(
        of number: Int64,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        let bit = Self.bit(number)
        guard mask & bit != 0 else { return nil }
        let row = rows[index(bit)]
        return try buffer.read(row.range) { (bytes) throws(StoreError) in
            try body(
                UnsafeRawBufferPointer(rebasing: bytes[..<Int(row.nameBytes)]),
                UnsafeRawBufferPointer(rebasing: bytes[Int(row.nameBytes)...]))
        }
    }

    func dedup(_ number: Int64, key: [UInt8]) -> DedupEntry? {
        dedups.isEmpty ? nil : dedups[DedupKey(number: number, key: key)]
    }

    /// Calls `body` with the number, the name and the snapshot of each row of `instances`, in the
    /// order of numbers.
    func forEachRow<Failure>(
        _ body: (InstanceNumber, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
            throws(Failure) -> Void
    ) throws(Failure) {
        var rest = mask
        for row in rows {
            let number = id << StoreLimits.bucketBits | Int64(rest.trailingZeroBitCount)
            rest &= rest - 1
            try buffer.withUnsafeBufferPointer { (buffer) throws(Failure) in
                let bytes = UnsafeRawBufferPointer(buffer)
                let name = Int(row.start)..<(Int(row.start) + Int(row.nameBytes))
                try body(
                    InstanceNumber(number), UnsafeRawBufferPointer(rebasing: bytes[name]),
                    UnsafeRawBufferPointer(rebasing: bytes[name.upperBound..<row.range.upperBound]))
            }
        }
    }

    /// Calls `body` with the dedup records, in the order of their rows.
    func forEachDedup<Failure>(
        _ body: (WriteSet.DedupWrite) throws(Failure) -> Void
    ) throws(Failure) {
        if dedups.isEmpty { return }
        let sorted = dedups.sorted {
            $0.key.number != $1.key.number
                ? $0.key.number < $1.key.number
                : $0.key.key.lexicographicallyPrecedes($1.key.key)
        }
        for (key, entry) in sorted {
            try body(
                WriteSet.DedupWrite(
                    number: InstanceNumber(key.number), key: key.key, entry: entry))
        }
    }

    func effect(_ ref: EffectRef) -> StoredEffect? {
        if effects.isEmpty { return nil }
        let place = effectPlace(ref)
        return place < effects.count && effects[place].ref == ref ? effects[place] : nil
    }

    /// The effects of an instance, in the order of their numbers.
    func effects(of number: InstanceNumber) -> [StoredEffect] {
        let start = effectPlace(EffectRef(instance: number, number: .min))
        return Array(effects[start...].prefix { $0.ref.instance == number })
    }

    /// The index of the first effect that isn't before a ref.
    private func effectPlace(_ ref: EffectRef) -> Int {
        var (low, high) = (0, effects.count)
        while low < high {
            let middle = (low + high) / 2
            if effects[middle].ref < ref { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func bit(_ number: Int64) -> UInt64 {
        1 << UInt64(number & (1 << StoreLimits.bucketBits - 1))
    }

    /// The index of an instance's row among the rows.
    private func index(_ bit: UInt64) -> Int { (mask & (bit - 1)).nonzeroBitCount }

    // MARK: Loading ahead

    // These ask for memory and don't wait for it. The arrays aren't retained meanwhile, because
    // that would wait for the memory of their objects.

    /// The bytes of a bucket's own object, about.
    static let objectBytes = 192

    /// The bytes of an array's object before its elements.
    private static let arrayHeadBytes = 32

    private static func object<Element>(_ array: inout [Element]) -> UnsafeRawPointer? {
        withUnsafeBytes(of: &array) { $0.load(as: UnsafeRawPointer?.self) }
    }

    /// Asks for the counts of rows and bytes. The bucket itself should be there.
    @inline(__always)
    func prefetchCounts() {
        grove_prefetch(Self.object(&rows))
        grove_prefetch(Self.object(&buffer))
    }

    /// Asks for the place of an instance's row.
    @inline(__always)
    func prefetchPlace(of number: Int64) {
        guard let object = Self.object(&rows) else { return }
        let offset = index(Self.bit(number)) * MemoryLayout<Row>.stride
        grove_prefetch(object + Self.arrayHeadBytes + offset)
    }

    /// Asks for an instance's row, if it has one. Its place should be there.
    @inline(__always)
    func prefetchRow(of number: Int64) {
        let bit = Self.bit(number)
        guard mask & bit != 0, let object = Self.object(&buffer) else { return }
        let row = rows[index(bit)]
        grove_prefetch_all(object + Self.arrayHeadBytes + Int(row.start), Int(row.count))
    }

    /// Asks for all rows. Their counts should be there.
    func prefetchRows() {
        let places = rows.count * MemoryLayout<Row>.stride
        grove_prefetch_all(Self.object(&rows), Self.arrayHeadBytes + places)
        grove_prefetch_all(Self.object(&buffer), Self.arrayHeadBytes + buffer.count)
    }

    // MARK: Changing

    /// Sets the row of an instance. It has at most ``StoreLimits/postponedSnapshotBytesMax`` bytes
    /// and a name.
    func setRow(
        of number: Int64, name: UnsafeBufferPointer<UInt8>, snapshot: UnsafeBufferPointer<UInt8>
    ) {
        let bit = Self.bit(number)
        let index = index(bit)
        let count = name.count + snapshot.count
        if mask & bit == 0 {
            mask |= bit
            rows.insert(append(name, snapshot), at: index)
        } else if count <= Int(rows[index].room) {
            rows[index].nameBytes = UInt16(name.count)
            rows[index].count = UInt16(count)
            let start = Int(rows[index].start)
            buffer.withUnsafeMutableBytes { bytes in
                bytes[start..<(start + name.count)].copyBytes(from: UnsafeRawBufferPointer(name))
                bytes[(start + name.count)..<(start + count)].copyBytes(
                    from: UnsafeRawBufferPointer(snapshot))
            }
        } else {
            unusedBytes += Int(rows[index].room)
            rows[index] = append(name, snapshot)
            compact()
        }
    }

    private func append(
        _ name: UnsafeBufferPointer<UInt8>, _ snapshot: UnsafeBufferPointer<UInt8>
    ) -> Row {
        let start = buffer.count
        let count = name.count + snapshot.count
        buffer.append(contentsOf: name)
        buffer.append(contentsOf: snapshot)
        for _ in 0..<Row.slack { buffer.append(0) }
        return Row(
            start: UInt32(start), nameBytes: UInt16(name.count), count: UInt16(count),
            room: UInt16(count + Row.slack))
    }

    /// Drops the row of an instance, its effects, and its dedup records if it is deleted.
    func drop(_ number: Int64, isDeleted: Bool) {
        let bit = Self.bit(number)
        if mask & bit != 0 {
            let row = rows.remove(at: index(bit))
            mask &= ~bit
            unusedBytes += Int(row.room)
            compact()
        }
        if !effects.isEmpty {
            let place = effectPlace(EffectRef(instance: InstanceNumber(number), number: .min))
            while place < effects.count, effects[place].ref.instance.value == number {
                effectBytes -= effects.remove(at: place).weight
            }
        }
        if isDeleted, !dedups.isEmpty { dedups = dedups.filter { $0.key.number != number } }
    }

    /// Removes unused bytes once they are the larger part.
    private func compact() {
        guard 2 * unusedBytes > buffer.count else { return }
        var packed: [UInt8] = []
        packed.reserveCapacity(buffer.count - unusedBytes)
        for index in rows.indices {
            let start = Int(rows[index].start)
            rows[index].start = UInt32(packed.count)
            packed.append(contentsOf: buffer[start..<(start + Int(rows[index].room))])
        }
        buffer = packed
        unusedBytes = 0
    }

    func setDedup(_ entry: DedupEntry, key: [UInt8], of number: Int64) {
        dedups[DedupKey(number: number, key: key)] = entry
    }

    /// Adds an effect, or replaces its row.
    func setEffect(_ effect: StoredEffect) {
        let place = effectPlace(effect.ref)
        effectBytes += effect.weight
        if place < effects.count, effects[place].ref == effect.ref {
            effectBytes -= effects[place].weight
            effects[place] = effect
        } else {
            effects.insert(effect, at: place)
        }
    }

    func dropEffect(_ ref: EffectRef) {
        let place = effectPlace(ref)
        guard place < effects.count, effects[place].ref == ref else { return }
        effectBytes -= effects.remove(at: place).weight
    }

    /// Frees the rows, which are written and durable.
    func markWritten() {
        isWritten = true
        mask = 0
        rows = []
        buffer = []
        dedups = [:]
        effects = []
        effectBytes = 0
    }
}
