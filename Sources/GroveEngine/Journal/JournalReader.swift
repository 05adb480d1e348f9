/// Finds steps of one instance by their links to earlier steps (`JournalRecord.previous`, `.skip`
/// and `.beforeEffects`): at most some hundred reads for any version.
///
/// The oldest steps of the journal, or of the instance's machine, may have been removed. Values
/// that only they had are `nil`; any other missing step is damage.
struct JournalReader {
    private let store: any Store
    private let writes: WriteSet?
    private let floors: JournalFloors

    let reads = Reads()

    /// Counts the steps that were read.
    final class Reads {
        var count = 0
    }

    /// An instance at some point.
    struct Point {
        var version: Int64
        var state: [UInt8]
        var isDone: Bool
        var at: Timestamp
    }

    /// Reads the committed journal, and the writes of a batch after it. Made for one request, and
    /// dropped before the batch grows.
    init(store: any Store, pending writes: WriteSet? = nil) {
        self.store = store
        self.writes = writes
        floors = store.floors
    }

    // MARK: Steps

    /// The newest step of the instance, from `newest` back, whose version is at most `version`,
    /// without later records of the same version (`stopped`). If the journal doesn't reach so far,
    /// or an imported instance began with a greater version, it is the oldest step; `nil` without
    /// any.
    ///
    /// - Throws: `.corrupt` when a link leads to no step.
    func step(
        ofVersion version: Int64, of name: InstanceName, from newest: JournalPosition
    ) throws(StoreError) -> JournalRecord? {
        guard var record = try held(newest, of: name) else { return nil }
        let first = floors.first(of: name)
        while !record.isStep(ofAtMost: version) {
            let jump = Skips.distance(of: record.version)
            if record.skip >= first, record.version - jump >= version {
                record = try read(record.skip)
            } else {
                guard let before = try versionBefore(record, of: name) else { return record }
                record = before
            }
        }
        return record
    }

    /// The next step of a search for a version; `nil` after the oldest one that is held.
    private func versionBefore(
        _ record: JournalRecord, of name: InstanceName
    ) throws(StoreError) -> JournalRecord? {
        guard record.beforeEffects != 0 else { return try held(record.previous, of: name) }
        if let before = try held(record.beforeEffects, of: name) { return before }
        // The step was removed. Only a later step can have its state.
        return record.base == nil && record.stateAt < record.sequence
            ? try held(record.stateAt, of: name) : nil
    }

    /// The oldest held step of the instance; `nil` without any.
    private func oldest(
        of name: InstanceName, from newest: JournalPosition
    ) throws(StoreError) -> JournalRecord? {
        guard var record = try held(newest, of: name) else { return nil }
        let first = floors.first(of: name)
        while true {
            if record.skip >= first {
                record = try read(record.skip)
            } else {
                guard let before = try versionBefore(record, of: name) else { return record }
                record = before
            }
        }
    }

    // MARK: States

    /// The instance at a version; `nil` when its state is no longer held.
    func state(
        ofVersion version: Int64, of stored: StoredInstance
    ) throws(StoreError) -> [UInt8]? {
        if version == stored.version { return stored.state }
        let found = try step(ofVersion: version, of: stored.name, from: stored.newest)
        guard let record = found else { return nil }
        if record.isStep(ofAtMost: version) {
            guard record.version == version else { return nil }
            if record.stateAt == stored.stateAt { return stored.state }
            return try state(after: record)
        }
        return record.versionBefore == version ? record.base?.state : nil
    }

    /// The lowest version whose state is held.
    func firstVersion(of stored: StoredInstance) throws(StoreError) -> Int64 {
        guard let oldest = try oldest(of: stored.name, from: stored.newest) else {
            return stored.version
        }
        var unknown = oldest.versionBefore - 1
        var known = stored.version
        // Once a state can be told, so can every later one.
        for version in [unknown + 1, unknown + 2] where version < known {
            if try state(ofVersion: version, of: stored) != nil { return version }
            unknown = version
        }
        while known - unknown > 1 {
            let middle = unknown + (known - unknown) / 2
            if try state(ofVersion: middle, of: stored) == nil {
                unknown = middle
            } else {
                known = middle
            }
        }
        return known
    }

    /// The instance at a journal position; `nil` when its state is no longer held.
    func point(
        at position: JournalPosition, of stored: StoredInstance
    ) throws(StoreError) -> Point? {
        guard var record = try held(stored.newest, of: stored.name) else { return nil }
        let first = floors.first(of: stored.name)
        var looked = 0
        while record.sequence > position {
            if record.skip > position, record.skip >= first {
                record = try read(record.skip)
            } else if record.beforeEffects > position, record.beforeEffects >= first {
                record = try read(record.beforeEffects)
            } else if record.beforeEffects != 0, looked == Limits.effectStepsSearchedMax {
                return try point(within: record, of: stored.name)
            } else if let before = try before(record) {
                record = before
                looked += 1
            } else {
                guard let base = record.base, record.previous <= position else { return nil }
                // Only what happens to effects comes after the end.
                let wasDone = record.kind == .effect && record.isDone
                return Point(
                    version: record.versionBefore, state: base.state, isDone: wasDone,
                    at: base.at)
            }
        }
        guard let state = try state(after: record) else { return nil }
        return Point(
            version: record.version, state: state, isDone: record.isDone, at: record.at)
    }

    /// The instance between an `.effect` and the step before all effect records in a row: its state
    /// is the same, its time is that step's.
    private func point(
        within record: JournalRecord, of name: InstanceName
    ) throws(StoreError) -> Point? {
        guard let state = try state(after: record) else { return nil }
        let before = try held(record.beforeEffects, of: name)
        return Point(
            version: record.version, state: state, isDone: record.isDone,
            at: before?.at ?? record.at)
    }

    /// The state after a step; `nil` when it is no longer held.
    func state(after record: JournalRecord) throws(StoreError) -> [UInt8]? {
        if let state = record.state ?? record.base?.state { return state }
        guard let holder = try held(record.stateAt, like: record) else { return nil }
        guard let state = holder.state ?? holder.base?.state else {
            throw .corrupt("journal step \(record.stateAt) should hold a state")
        }
        return state
    }

    /// The state before a step; `nil` before the first one, and when it is no longer held.
    func state(before record: JournalRecord) throws(StoreError) -> [UInt8]? {
        if let base = record.base { return base.state }
        return try before(record).flatMap { (before) throws(StoreError) in
            try state(after: before)
        }
    }

    // MARK: Reading

    /// The linked step; `nil` for no link, and when it was removed.
    func held(
        _ sequence: JournalPosition, of name: InstanceName
    ) throws(StoreError) -> JournalRecord? {
        sequence < floors.first(of: name) ? nil : try read(sequence)
    }

    /// The instance's step before; `nil` for none, and when it was removed.
    func before(_ record: JournalRecord) throws(StoreError) -> JournalRecord? {
        try held(record.previous, like: record)
    }

    /// As ``before(_:)``, but skips effect records if their link is known.
    func beforeEffects(_ record: JournalRecord) throws(StoreError) -> JournalRecord? {
        try held(
            record.beforeEffects == 0 ? record.previous : record.beforeEffects, like: record)
    }

    /// The linked step of the same instance; an erased step has no instance.
    private func held(
        _ sequence: JournalPosition, like record: JournalRecord
    ) throws(StoreError) -> JournalRecord? {
        guard let name = record.name else { return nil }
        return try held(sequence, of: name)
    }

    private func read(_ sequence: JournalPosition) throws(StoreError) -> JournalRecord {
        guard let record = try find(sequence), record.kind != .erased else {
            throw .corrupt("journal step \(sequence), which another one names, is missing")
        }
        return record
    }

    private func find(_ sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        reads.count += 1
        if let record = try writes?.record(at: sequence) { return record }
        return try store.record(at: sequence)
    }
}

extension JournalRecord {
    /// Whether it made a version of at most `version`.
    func isStep(ofAtMost version: Int64) -> Bool {
        self.version <= version && makesVersion
    }
}
