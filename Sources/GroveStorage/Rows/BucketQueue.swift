import GroveEngine

/// The buckets of ``PendingRows``, oldest first: in the order of ``RowBucket/since``.
///
/// Three lists in one order. After a crash, only when the rows of a bucket are made it is known
/// which steps they lack: the bucket then moves from `unmade` to a place between those that moved
/// before. All others came later, in order.
struct BucketQueue {
    /// Buckets with rows that are still to be made, by the first step that these may lack. One
    /// whose rows were made stays until it is the first.
    private var unmade: [RowBucket] = []
    private var unmadeStart = 0

    /// Buckets whose rows were made after opening: one list for some steps each. In a list the
    /// oldest bucket is the last, so that it can be removed at once; one that was written stays
    /// until it is the last of the first list.
    private var made: [[RowBucket]] = []
    /// No list before this one has a bucket.
    private var madeStart = 0
    /// The step that the first list begins with.
    private var base: JournalPosition = 0

    /// Buckets that commits have begun. One that was written stays until it is the first.
    private var added: [RowBucket] = []
    private var addedStart = 0

    /// Steps of a list of `made`. Two buckets never have the same first step, so that a list has no
    /// more buckets than steps.
    private static let listSteps: Int64 = 64

    /// Adds a bucket with rows that are still to be made. Called in order, before anything else.
    mutating func appendUnmade(_ bucket: RowBucket) {
        if unmade.isEmpty { base = bucket.since.step }
        unmade.append(bucket)
    }

    /// Adds a bucket that a commit begins, so that it is the newest one.
    mutating func append(_ bucket: RowBucket) { added.append(bucket) }

    /// Moves a bucket from the unmade ones to its place by age.
    mutating func insertMade(_ bucket: RowBucket) {
        let index = Int((bucket.since.step - base) / Self.listSteps)
        while made.count <= index { made.append([]) }
        let place = made[index].firstIndex { $0.since.step <= bucket.since.step }
        made[index].insert(bucket, at: place ?? made[index].count)
        madeStart = min(madeStart, index)
    }

    /// The oldest bucket whose rows are still to be made.
    var firstUnmade: RowBucket? { unmade[unmadeStart...].first(where: \.isUnmade) }

    /// Drops the beginning of each list that isn't waiting any more.
    mutating func removePassed() {
        while unmadeStart < unmade.count, !unmade[unmadeStart].isUnmade { unmadeStart += 1 }
        Self.trim(&unmade, &unmadeStart)
        while madeStart < made.count {
            while made[madeStart].last?.isWritten == true { made[madeStart].removeLast() }
            guard made[madeStart].isEmpty else { break }
            madeStart += 1
        }
        if unmade.isEmpty, madeStart == made.count {
            made = []
            madeStart = 0
        }
        while addedStart < added.count, added[addedStart].isWritten { addedStart += 1 }
        Self.trim(&added, &addedStart)
    }

    private static func trim(_ list: inout [RowBucket], _ start: inout Int) {
        guard start > 0, 2 * start >= list.count else { return }
        list.removeFirst(start)
        start = 0
    }
}

extension BucketQueue {
    /// The buckets that aren't written, oldest first.
    ///
    /// - Parameter skipsUnmade: Whether to leave out those whose rows are still to be made.
    func oldestFirst(skipsUnmade: Bool = false) -> OldestFirst {
        OldestFirst(self, skipsUnmade: skipsUnmade)
    }

    /// The first of these.
    func oldest(skipsUnmade: Bool) -> RowBucket? {
        var buckets = oldestFirst(skipsUnmade: skipsUnmade)
        return buckets.next()
    }

    /// See ``oldestFirst(skipsUnmade:)``.
    struct OldestFirst: Sequence, IteratorProtocol {
        private let queue: BucketQueue
        private var unmadeIndex: Int
        private var madeIndex: Int
        /// The buckets of the present list of `made` that come next: the last of these first.
        private var madeLeft: Int
        private var addedIndex: Int

        fileprivate init(_ queue: BucketQueue, skipsUnmade: Bool) {
            self.queue = queue
            unmadeIndex = skipsUnmade ? queue.unmade.count : queue.unmadeStart
            madeIndex = queue.madeStart
            madeLeft = madeIndex < queue.made.count ? queue.made[madeIndex].count : 0
            addedIndex = queue.addedStart
        }

        mutating func next() -> RowBucket? {
            let unmade = nextUnmade()
            // Those that were added are newer than all others.
            guard let made = nextMade() else {
                if unmade == nil { return nextAdded() }
                unmadeIndex += 1
                return unmade
            }
            if let unmade, unmade.since.step <= made.since.step {
                unmadeIndex += 1
                return unmade
            }
            madeLeft -= 1
            return made
        }

        private mutating func nextUnmade() -> RowBucket? {
            while unmadeIndex < queue.unmade.count {
                let bucket = queue.unmade[unmadeIndex]
                if bucket.isUnmade { return bucket }
                unmadeIndex += 1
            }
            return nil
        }

        private mutating func nextMade() -> RowBucket? {
            while madeIndex < queue.made.count {
                while madeLeft > 0 {
                    let bucket = queue.made[madeIndex][madeLeft - 1]
                    if !bucket.isWritten { return bucket }
                    madeLeft -= 1
                }
                madeIndex += 1
                if madeIndex < queue.made.count { madeLeft = queue.made[madeIndex].count }
            }
            return nil
        }

        private mutating func nextAdded() -> RowBucket? {
            while addedIndex < queue.added.count {
                defer { addedIndex += 1 }
                if !queue.added[addedIndex].isWritten { return queue.added[addedIndex] }
            }
            return nil
        }
    }
}
