import Transducers

extension Engine {
    /// `list`: a page of instances in the byte order of their names.
    ///
    /// Shows what is committed, and what this batch has made of it for every instance the page
    /// already holds; an instance that the batch creates is listed from its commit on.
    mutating func list(_ list: List, store: any Store) -> Outcome {
        var needsCommit = false
        do throws(Failure) {
            try check(list)
            let prefix = list.machine.map { "\($0)/\(list.prefix)" } ?? ""
            var items: [Reply.ListItem] = []
            var bytes = 0
            var after = list.after
            var scanned = 0
            while scanned < Limits.listRowsScannedMax {
                let from = after
                let rows = try reading { () throws(StoreError) in
                    try store.instances(prefix: prefix, after: from, limit: 256)
                }
                for row in rows {
                    scanned += 1
                    after = row.name.text
                    let stored = current(row, needsCommit: &needsCommit)
                    guard let stored, list.includes(stored) else { continue }
                    items.append(Reply.ListItem(stored))
                    bytes += stored.state.count + 2 * stored.name.text.utf8.count + 80
                    if items.count == list.limit || bytes > Limits.pageBytesMax {
                        return Outcome(.listed(items, next: after), needsCommit: needsCommit)
                    }
                }
                if rows.count < 256 {
                    return Outcome(.listed(items, next: nil), needsCommit: needsCommit)
                }
            }
            return Outcome(.listed(items, next: after), needsCommit: needsCommit)
        } catch {
            return Outcome(.failure(error), needsCommit: needsCommit)
        }
    }

    private func check(_ list: List) throws(Failure) {
        guard let machine = list.machine else {
            if list.state != nil {
                throw .badRequest(
                    path: "$.state", message: "state needs a machine whose states have names")
            }
            return
        }
        guard let definition = catalogue[machine] else { throw .noSuchMachine(machine) }
        if list.state != nil, !definition.stateHasNames {
            throw .badRequest(
                path: "$.state", message: "the states of machine \(machine) have no names")
        }
    }

    private func current(
        _ row: StoredInstance, needsCommit: inout Bool
    ) -> StoredInstance? {
        if let place = instances.place(of: row.name) {
            if instances.residents[place].isDirty { needsCommit = true }
            return instances.residents[place].stored
        }
        if deleted.contains(row.name) {
            needsCommit = true
            return nil
        }
        return row
    }
}

extension List {
    func includes(_ stored: StoredInstance) -> Bool {
        if let isDone, isDone != stored.isDone { return false }
        if machine == nil, !prefix.isEmpty,
            !stored.name.instance.utf8.starts(with: prefix.utf8)
        {
            return false
        }
        if let state { return CaseName.read(stored.state) == state }
        return true
    }
}

extension Reply.ListItem {
    init(_ stored: StoredInstance) {
        self.init(
            name: stored.name, version: stored.version, state: stored.state,
            isDone: stored.isDone, updated: stored.updated)
    }
}
