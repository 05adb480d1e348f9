import GroveAccess
import Transducers

/// `history`: a page of an instance's versions.
public struct History: Sendable {
    public var to: InstanceName
    /// Only versions greater than this one.
    public var after: Int64
    /// Items of the page, 1 to 1,000.
    public var limit: Int

    public init(to: InstanceName, after: Int64 = 0, limit: Int = 100) {
        self.to = to
        self.after = after
        self.limit = limit
    }
}

extension Engine {
    /// A turn of `history`: the steps with versions from `after + 1`, at most a page of them, as of
    /// the moment of the request.
    mutating func advance(_ read: inout HistoryRead, in turn: Turn) throws(Failure) -> Reply? {
        let reader = JournalReader(store: turn.store, pending: batch.writes)
        read.showsSenders = access.subject(of: read.caller.principal)
            .allows(.manage, read.history.to)
        if read.next == nil {
            let end = try end(of: &read, in: turn)
            guard read.history.after < end.version else { return .history([], next: nil) }
            let newest = try reading { () throws(StoreError) in
                try read.history.newest(end, reader: reader)
            }
            read.first = newest.first
            read.next = newest.record
        }
        return try reading { () throws(StoreError) in try read.advance(reader) }
    }
}

extension Engine {
    /// With which step and version a page ends: those that there are when it is first asked.
    mutating func end(
        of read: inout HistoryRead, in turn: Turn
    ) throws(Failure) -> (newest: JournalPosition, version: Int64) {
        if let known = read.end { return known }
        let found = try find(read.history.to, in: turn)
        let stored = try self.stored(found, name: read.history.to)
        read.end = (stored.newest, stored.version)
        return (stored.newest, stored.version)
    }
}

extension History {
    /// The newest step of the page. If the journal doesn't hold the page's beginning: the newest
    /// one of the page that starts with the first held version, and that version.
    func newest(
        _ end: (newest: JournalPosition, version: Int64), reader: JournalReader
    ) throws(StoreError) -> (record: JournalRecord?, first: Int64?) {
        let record = try reader.step(
            ofVersion: lastVersion(after, end.version), of: to, from: end.newest)
        guard let record else { return (nil, end.version + 1) }
        // An imported instance begins with a later version than was asked for.
        let isBeginning = record.kind == .created && record.version > after
        if !isBeginning, record.isStep(ofAtMost: lastVersion(after, end.version)) {
            return (record, nil)
        }
        // It is the oldest step that is held.
        let first = (isBeginning ? record.version : record.versionBefore) + 1
        guard first <= end.version else { return (nil, first) }
        let last = lastVersion(first - 1, end.version)
        return (try reader.step(ofVersion: last, of: to, from: end.newest), first)
    }

    private func lastVersion(_ after: Int64, _ version: Int64) -> Int64 {
        let sum = after.addingReportingOverflow(Int64(limit))
        return min(version, sum.overflow ? Int64.max : sum.partialValue)
    }
}

extension HistoryRead {
    /// Continues to read; replies at the page's beginning.
    mutating func advance(_ reader: JournalReader) throws(StoreError) -> Reply? {
        let after = max(history.after, (first ?? 0) - 1)
        var steps = 0
        var bytesLeft = Limits.pageBytesPerTurn
        while let record = next, record.version > after, record.kind != .created {
            guard steps < Limits.pageStepsPerTurn, bytesLeft > 0 else { return nil }
            steps += 1
            bytesLeft -= record.textBytes
            if record.kind != .effect, !record.isAboutHold { add(record) }
            next = try reader.beforeEffects(record)
            if next == nil { setFirst(record) }
        }
        // An imported instance was made with a later version than was asked for.
        if let next, next.kind == .created, next.version > history.after {
            first = next.version + 1
        }
        var shown = page[begin...].reversed() as [JournalRecord]
        if !showsSenders { for place in shown.indices { shown[place].by = 0 } }
        let version = end?.version ?? 0
        let last = shown.last?.version ?? version
        return .history(shown, next: last < version ? last : nil, first: first)
    }

    /// Adds a step to the page. The page is read backwards, but its beginning counts: beyond its
    /// bytes the newest steps are dropped, so that a thousand large states are never in memory
    /// together.
    private mutating func add(_ record: JournalRecord) {
        page.append(record)
        bytes += record.textBytes
        while bytes > Limits.pageBytesMax, begin < page.count - 1 {
            bytes -= page[begin].textBytes
            page[begin] = JournalRecord(sequence: page[begin].sequence, kind: .erased)
            begin += 1
        }
    }

    /// Sets the page's first version to the journal's oldest step, if an earlier one was requested.
    private mutating func setFirst(_ oldest: JournalRecord) {
        guard oldest.kind != .created else { return }
        let held = oldest.versionBefore + 1
        if held > history.after + 1 { first = held }
    }
}

extension JournalRecord {
    /// The estimated bytes of the step as JSON.
    var textBytes: Int {
        let outputs =
            outputs.reduce(0) { $0 + $1.data.count + 1 }
            + effects.reduce(0) { $0 + $1.count + 1 }
        return 100 + (event?.count ?? 0) + (dedup?.count ?? 0) + (state?.count ?? 0) + outputs
    }
}
