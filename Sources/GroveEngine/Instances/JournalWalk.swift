/// Finds steps of one instance by following the links that steps have to earlier ones
/// (`JournalRecord.previous` and `.skip`): at most some hundred reads for any version.
struct JournalWalk {
    private let store: any Store
    private let writes: WriteSet?

    /// Walks what is committed and, where they are given, the writes of a batch behind it. Made
    /// for one request and dropped before the batch grows.
    init(store: any Store, pending writes: WriteSet? = nil) {
        self.store = store
        self.writes = writes
    }

    /// The newest step of the instance, counted from `newest` back, whose version is at most
    /// `version`; later records of the same version (`stopped`) are passed over. The creation of an
    /// instance that began with a greater version, because it was imported.
    ///
    /// - Throws: `.corrupt` when a link leads nowhere.
    func step(
        ofVersion version: Int64, from newest: JournalPosition
    ) throws(StoreError) -> JournalRecord {
        var record = try read(newest)
        while record.version > version || record.kind == .stopped || record.kind == .effect {
            if record.kind == .created { return record }
            let jump = Skips.distance(of: record.version)
            if record.skip != 0, record.version - jump >= version {
                record = try read(record.skip)
            } else {
                record = try read(record.previous)
            }
        }
        return record
    }

    /// The newest step of the instance at or before a place in the journal, or `nil` when the
    /// instance is younger.
    func step(
        atOrBefore position: JournalPosition, from newest: JournalPosition
    ) throws(StoreError) -> JournalRecord? {
        var record = try read(newest)
        while record.sequence > position {
            if record.skip > position {
                record = try read(record.skip)
            } else if record.previous != 0 {
                record = try read(record.previous)
            } else {
                return nil
            }
        }
        return record
    }

    /// The state after a step.
    func state(after record: JournalRecord) throws(StoreError) -> [UInt8] {
        if let state = record.state { return state }
        guard let state = try read(record.stateAt).state else {
            throw .corrupt("journal step \(record.stateAt) should hold a state")
        }
        return state
    }

    /// The state before a step; `nil` before the first one.
    func state(before record: JournalRecord) throws(StoreError) -> [UInt8]? {
        guard record.previous != 0 else { return nil }
        return try state(after: read(record.previous))
    }

    func read(_ sequence: JournalPosition) throws(StoreError) -> JournalRecord {
        guard sequence > 0, let record = try find(sequence), record.kind != .erased else {
            throw .corrupt("journal step \(sequence), which another one names, is missing")
        }
        return record
    }

    private func find(_ sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        if let record = try writes?.record(at: sequence) { return record }
        return try store.record(at: sequence)
    }
}

/// Which steps carry a skip link: versions that are multiples of 64, 4,096, …, to the multiple
/// before.
enum Skips {
    static let base: Int64 = 64

    /// How many versions the skip link of this version goes back; 0 when it has none.
    static func distance(of version: Int64) -> Int64 {
        guard version > 0 else { return 0 }
        var distance: Int64 = 0
        var power = base
        while version % power == 0 {
            distance = power
            let next = power.multipliedReportingOverflow(by: base)
            if next.overflow { break }
            power = next.partialValue
        }
        return distance
    }

    /// The skip link of a new step, and the instance's list brought up to date.
    ///
    /// `skips[k - 1]` is the newest step whose version is a multiple of 64^k; the creation,
    /// version 0, is one of all of them.
    static func link(
        version: Int64, sequence: JournalPosition, skips: inout [JournalPosition],
        created: JournalPosition
    ) -> JournalPosition {
        guard version > 0, version % base == 0 else { return 0 }
        var link: JournalPosition = 0
        var level = 0
        var rest = version
        while rest % base == 0 {
            rest /= base
            if level < skips.count {
                link = skips[level]
                skips[level] = sequence
            } else {
                link = created
                skips.append(sequence)
            }
            level += 1
        }
        return link
    }
}
