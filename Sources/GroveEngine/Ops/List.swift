import OrderedJSON
import Transducers

/// `list`: a page of instances in the byte order of their names.
public struct List: Sendable {
    /// Only instances of this machine.
    public var machine: String?
    /// Only instances whose name after the slash begins so.
    public var prefix: String = ""
    /// Only instances in the state of this name.
    public var state: String?
    /// Only done, or only not done ones.
    public var isDone: Bool?
    /// Only instances whose last step an earlier version of their definition made, or only the
    /// others.
    public var isOutdated: Bool?
    /// Only those that are held so themselves, whatever their machine is.
    public var held: Hold.Kind?
    /// Only instances after this name (`next` of the page before).
    public var after: String?
    /// Items of the page, 1 to 1,000.
    public var limit: Int = 100

    /// A list of everything.
    public init() {}
}

extension Reply {
    /// One instance of a `list`.
    public struct ListItem: Sendable {
        /// Its name.
        public var name: InstanceName
        /// Its version.
        public var version: Int64
        /// Its state as JSON.
        public var state: [UInt8]
        /// Whether it is done.
        public var isDone: Bool
        /// When its last step was taken.
        public var updated: Timestamp
        /// The version of the definition that took it, where outdated ones were asked for.
        public var definitionVersion: String?
        /// How the instance itself is held.
        public var hold: Hold?
    }
}

extension Engine {
    /// `list`: a page of instances in the byte order of their names.
    mutating func list(_ list: List, of request: Request, in turn: Turn) -> Reply? {
        do throws(Failure) { try check(list) } catch { return .failure(error) }
        return page(.list(ListRead(list)), of: request, in: turn)
    }

    /// A turn of `list`.
    ///
    /// Shows what is committed, and what this batch has made of it for every instance the page
    /// already holds; an instance that the batch creates is listed from its commit on.
    mutating func advance(_ read: inout ListRead, in turn: Turn) throws(Failure) -> Reply? {
        let list = read.list
        if let kind = list.held {
            return try advance(&read, holding: kind, in: turn)
        }
        let prefix = list.machine.map { "\($0)/\(list.prefix)" } ?? ""
        var rowsLeft = ListRead.rowsPerTurn
        var bytesLeft = ListRead.bytesPerTurn
        while rowsLeft > 0, bytesLeft > 0 {
            let (after, step) = (read.after, min(read.step, rowsLeft))
            let rows = try reading { () throws(StoreError) in
                try turn.store.instances(
                    prefix: prefix, after: after, limit: step, bytes: Limits.rowBytesPerRead)
            }
            var bytes = 0
            for row in rows {
                read.scanned += 1
                read.after = row.name.text
                bytes += row.state.count + 200
                let hold = holds.isEmpty ? nil : holds[.instance(row.name)]
                guard let stored = current(row),
                    read.list.includes(stored, catalogue)
                else { continue }
                if let state = read.list.state {
                    // A state of an earlier version is read and written for its name.
                    if catalogue.isOutdated(stored) { bytes += ListRead.bytesPerRewriting }
                    guard stateName(of: stored) == state else { continue }
                }
                if read.takes(stored, hold) { return .listed(read.items, next: read.after) }
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

    /// A turn of `list` with `held`: of what is held itself. A name that nobody has is listed as
    /// well; it has no state.
    private mutating func advance(
        _ read: inout ListRead, holding kind: Hold.Kind, in turn: Turn
    ) throws(Failure) -> Reply? {
        let prefix = read.list.machine.map { "\($0)/\(read.list.prefix)" } ?? ""
        var rowsLeft = ListRead.rowsPerTurn / 4
        for name in holds.names(kind, after: read.after) {
            guard rowsLeft > 0 else { return nil }
            guard name.text.utf8.starts(with: prefix.utf8), let hold = holds[.instance(name)]
            else { continue }
            rowsLeft -= 1
            read.after = name.text
            batch.rely(on: holds.isPending(.instance(name)))
            let stored: StoredInstance
            switch try find(name, in: turn) {
            case .resident(let place):
                stored = instances.residents[place].stored
            case .absent:
                var none = StoredInstance(number: InstanceNumber(0), name: name)
                none.updated = hold.since
                stored = none
            }
            guard read.list.includes(stored, catalogue) else { continue }
            if let state = read.list.state, stateName(of: stored) != state { continue }
            if read.takes(stored, hold) { return .listed(read.items, next: read.after) }
        }
        return .listed(read.items, next: nil)
    }

    /// What the state of an instance is called; `nil` where it has no name. Reading it may run code
    /// of the machine: not of one that is set aside, because that may be what ends the process.
    mutating func stateName(of stored: StoredInstance) -> String? {
        guard let naming = catalogue[stored.name.machine]?.naming else { return nil }
        if holds.hasTrapped(stored.name) {
            return naming.writtenName(of: stored.state)
        }
        let outer = witness(stored.name)
        defer { unwitness(outer) }
        return naming.name(of: stored.state, from: stored.definitionVersion)
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
        if let state = list.state {
            try definition.check(state: state, at: "$.state")
        }
    }

    private mutating func current(_ row: StoredInstance) -> StoredInstance? {
        if let place = instances.place(of: row.name) {
            batch.rely(on: instances.residents[place].isDirty)
            return instances.residents[place].stored
        }
        guard batch.deleted.contains(row.name) else { return row }
        batch.rely(on: true)
        return nil
    }
}

extension ListRead {
    /// What one turn looks at: about a millisecond.
    static let rowsPerTurn = 256
    static let bytesPerTurn = 256 << 10
    /// What it costs beside the bytes of a state to read and write it anew.
    static let bytesPerRewriting = 4 << 10

    /// Takes an instance to the page; whether that is full then.
    fileprivate mutating func takes(_ stored: StoredInstance, _ hold: Hold?) -> Bool {
        var item = Reply.ListItem(stored)
        if list.isOutdated == true { item.definitionVersion = stored.definitionVersion }
        item.hold = hold
        items.append(item)
        bytes += stored.state.count + 2 * stored.name.text.utf8.count + 80
        return items.count == list.limit || bytes > Limits.pageBytesMax
    }
}

extension List {
    /// Whether an instance is meant, as far as its state isn't looked at.
    func includes(_ stored: StoredInstance, _ catalogue: Catalogue) -> Bool {
        if let isDone, isDone != stored.isDone { return false }
        if machine == nil, !prefix.isEmpty,
            !stored.name.instance.utf8.starts(with: prefix.utf8)
        {
            return false
        }
        if let isOutdated, isOutdated != catalogue.isOutdated(stored) { return false }
        return true
    }
}

extension Catalogue {
    /// Whether an instance's last step was taken by an earlier version of its definition. One of a
    /// machine that isn't hosted is not called so.
    func isOutdated(_ stored: StoredInstance) -> Bool {
        self[stored.name.machine].map {
            DefinitionVersion.isEarlier(stored.definitionVersion, than: $0.version)
        } ?? false
    }
}

extension Definition {
    /// Makes sure that there can be a state of this name.
    ///
    /// - Throws: ``Failure/badRequest(path:message:)`` where states have no names, and for a name
    ///   that none has, where all are known.
    func check(state: String, at path: String) throws(Failure) {
        guard naming.exists else {
            throw .badRequest(
                path: path,
                message: "the states of machine \(name) have no names: give its state a member "
                    + "\"status\", or the machine name(of:) of DescribedTransducer")
        }
        if let known = naming.known, !known.contains(state) {
            throw .badRequest(
                path: path,
                message: "machine \(name) has no state \"\(state.prefixOfBytes(64))\": "
                    + EnumCase.choice(known))
        }
    }
}

extension Reply.ListItem {
    init(_ stored: StoredInstance) {
        self.init(
            name: stored.name, version: stored.version, state: stored.state,
            isDone: stored.isDone, updated: stored.updated)
    }
}
