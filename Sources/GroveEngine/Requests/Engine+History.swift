import Transducers

extension Engine {
    /// `history`: the steps that made versions `after + 1` and up, at most a page of them.
    mutating func history(_ history: History, store: any Store) -> Outcome {
        var needsCommit = false
        do throws(Failure) {
            let found = try find(history.to, store: store)
            needsCommit = self.needsCommit(found)
            let stored = try self.stored(found, name: history.to)
            guard history.after < stored.version else {
                return Outcome(.history([], next: nil), needsCommit: needsCommit)
            }
            let walk = JournalWalk(store: store, pending: batch.writes)
            let page = try reading { () throws(StoreError) in
                try history.page(of: stored, walk: walk)
            }
            let last = page.last?.version ?? stored.version
            return Outcome(
                .history(page, next: last < stored.version ? last : nil), needsCommit: needsCommit)
        } catch {
            return Outcome(.failure(error), needsCommit: needsCommit)
        }
    }
}

extension History {
    /// The steps of the page, oldest first.
    func page(
        of stored: StoredInstance, walk: JournalWalk
    ) throws(StoreError) -> [JournalRecord] {
        var record = try newestStep(after: after, of: stored, walk: walk)
        if record.kind == .created, record.version > after {
            // It was imported with this version: its steps begin behind that.
            record = try newestStep(after: record.version, of: stored, walk: walk)
        }
        var page: [JournalRecord] = []
        var begin = 0
        var bytes = 0
        while record.version > after, record.kind != .created {
            if record.kind != .effect {
                page.append(record)
                bytes += record.textBytes
            }
            // Read backwards, but the page's begin is what counts: past its bytes the newest
            // steps make room, so that a thousand large states are never in memory together.
            while bytes > Limits.pageBytesMax, begin < page.count - 1 {
                bytes -= page[begin].textBytes
                page[begin] = JournalRecord(sequence: page[begin].sequence, kind: .erased)
                begin += 1
            }
            record = try walk.read(record.previous)
        }
        return page[begin...].reversed()
    }

    /// The newest step of the page that begins behind a version.
    private func newestStep(
        after: Int64, of stored: StoredInstance, walk: JournalWalk
    ) throws(StoreError) -> JournalRecord {
        let sum = after.addingReportingOverflow(Int64(limit))
        let newest = min(stored.version, sum.overflow ? Int64.max : sum.partialValue)
        return try walk.step(ofVersion: newest, from: stored.newest)
    }
}

extension JournalRecord {
    /// About how many bytes the step has as JSON.
    var textBytes: Int {
        let outputs =
            outputs.reduce(0) { $0 + $1.data.count + 1 }
            + effects.reduce(0) { $0 + $1.count + 1 }
        return 100 + (event?.count ?? 0) + (dedup?.count ?? 0) + (state?.count ?? 0) + outputs
    }
}
