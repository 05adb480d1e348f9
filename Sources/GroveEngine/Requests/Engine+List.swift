import Transducers

extension Engine {
    /// `list`: a page of instances in the byte order of their names.
    mutating func list(_ list: List, of request: Request, store: any Store) -> Outcome {
        do throws(Failure) { try check(list) } catch { return Outcome(.failure(error)) }
        return page(.list(ListRead(list)), of: request, store: store)
    }

    /// A turn of `list`.
    ///
    /// Shows what is committed, and what this batch has made of it for every instance the page
    /// already holds; an instance that the batch creates is listed from its commit on.
    mutating func advance(
        _ read: inout ListRead, needsCommit: inout Bool, store: any Store
    ) throws(Failure) -> Reply? {
        let list = read.list
        let prefix = list.machine.map { "\($0)/\(list.prefix)" } ?? ""
        var rowsLeft = ListRead.rowsPerTurn
        var bytesLeft = ListRead.bytesPerTurn
        while rowsLeft > 0, bytesLeft > 0 {
            let (after, step) = (read.after, min(read.step, rowsLeft))
            let rows = try reading { () throws(StoreError) in
                try store.instances(
                    prefix: prefix, after: after, limit: step, bytes: Limits.rowBytesPerRead)
            }
            var bytes = 0
            for row in rows {
                read.scanned += 1
                read.after = row.name.text
                bytes += row.state.count + 200
                if read.takes(current(row, needsCommit: &needsCommit)) {
                    return .listed(read.items, next: read.after)
                }
            }
            if rows.isEmpty { return .listed(read.items, next: nil) }
            if read.scanned >= Limits.listRowsScannedMax {
                return .listed(read.items, next: read.after)
            }
            rowsLeft -= rows.count
            bytesLeft -= bytes
            read.step = bytes > bytesLeft / 4 ? max(1, step / 4) : min(128, step * 2)
        }
        return nil
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

extension ListRead {
    /// What one turn looks at: about a millisecond.
    static let rowsPerTurn = 256
    static let bytesPerTurn = 256 << 10

    /// Takes an instance to the page if it fits; whether the page is full then.
    fileprivate mutating func takes(_ stored: StoredInstance?) -> Bool {
        guard let stored, list.includes(stored) else { return false }
        items.append(Reply.ListItem(stored))
        bytes += stored.state.count + 2 * stored.name.text.utf8.count + 80
        return items.count == list.limit || bytes > Limits.pageBytesMax
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
