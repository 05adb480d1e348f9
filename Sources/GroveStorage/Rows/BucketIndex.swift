/// Finds buckets by their ids.
///
/// It doesn't retain them, because to retain one is to wait for its memory. The queue of
/// ``PendingRows`` retains each bucket for as long as it is here.
struct BucketIndex {
    private var buckets: [RowBucket.ID: Unmanaged<RowBucket>] = [:]

    /// A bucket; `nil` removes it.
    subscript(id: RowBucket.ID) -> RowBucket? {
        get { buckets[id]?.takeUnretainedValue() }
        set { buckets[id] = newValue.map(Unmanaged.passUnretained) }
    }

    /// A bucket, without touching its memory.
    func unretained(_ id: RowBucket.ID) -> Unmanaged<RowBucket>? { buckets[id] }
}
