extension Engine {
    /// `history`: the steps that made versions `after + 1` and up, at most a page of them.
    mutating func history(_ history: History, store: any Store) -> Outcome {
        var needsCommit = false
        do {
            let found = try find(history.to, store: store)
            needsCommit = self.needsCommit(found)
            let stored = try self.stored(found, name: history.to)
            guard history.after < stored.version else {
                return Outcome(.history([], next: nil), needsCommit: needsCommit)
            }
            let walk = JournalWalk(store: store, pending: batch.writes)
            let page = try reading { () throws(StoreError) in
                try self.page(history, of: stored, walk: walk)
            }
            let last = page.last?.version ?? stored.version
            return Outcome(
                .history(page, next: last < stored.version ? last : nil), needsCommit: needsCommit)
        } catch {
            return Outcome(.failure(error), needsCommit: needsCommit)
        }
    }

    private func page(
        _ history: History, of stored: StoredInstance, walk: JournalWalk
    ) throws(StoreError) -> [JournalRecord] {
        let sum = history.after.addingReportingOverflow(Int64(history.limit))
        let newest = min(stored.version, sum.overflow ? Int64.max : sum.partialValue)
        var record = try walk.step(ofVersion: newest, from: stored.newest)
        var page: [JournalRecord] = []
        page.reserveCapacity(history.limit)
        while record.version > history.after {
            page.append(record)
            record = try walk.read(record.previous)
        }
        page.reverse()
        return Array(page.prefix(History.fitting(page)))
    }
}

extension History {
    /// How many items of a page fit into its bytes; at least one, so that a reader gets on.
    static func fitting(_ page: [JournalRecord]) -> Int {
        var bytes = 0
        for (index, record) in page.enumerated() {
            bytes += record.textBytes
            if bytes > Limits.pageBytesMax { return max(1, index) }
        }
        return page.count
    }
}

extension JournalRecord {
    /// About how many bytes the step has as JSON.
    var textBytes: Int {
        let outputs = outputs.reduce(0) { $0 + $1.data.count + 1 }
        return 100 + (event?.count ?? 0) + (dedup?.count ?? 0) + (state?.count ?? 0) + outputs
    }
}
