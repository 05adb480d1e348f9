import GroveAccess
import OrderedJSON
import Transducers

/// `list`: a page of instances in the byte order of their names.
public struct List: Sendable {
    /// Only instances of this machine.
    public var machine: String?
    /// Only instances whose name after the slash begins with it.
    public var prefix: String = ""
    /// Only instances in the state of this name.
    public var state: String?
    /// Only done, or only not done ones.
    public var isDone: Bool?
    /// Only instances whose last step was taken by an earlier version of their definition; or only
    /// the others.
    public var isOutdated: Bool?
    /// Only instances that are held themselves, whatever holds their machine.
    public var held: Hold.Kind?
    /// Only instances after this name (`next` of the page before).
    public var after: String?
    /// Items of the page, 1 to 1,000.
    public var limit: Int = 100

    public init() {}
}

extension Reply {
    /// One instance of a `list`.
    public struct ListItem: Sendable {
        public var name: InstanceName
        public var version: Int64
        public var state: [UInt8]
        public var isDone: Bool
        public var updated: Timestamp
        /// The version of the definition of its last step, if outdated instances were requested.
        public var definitionVersion: String?
        /// How the instance itself is held.
        public var hold: Hold?
    }
}

extension Engine {
    /// `list`: a page of instances in the byte order of their names.
    mutating func list(_ list: List, of request: Request, in turn: Turn) -> Reply? {
        let filter = ReadFilter(access.subject(of: request.caller.principal))
        if filter.isClosed { return .listed([], next: nil) }
        do throws(Failure) {
            if let machine = list.machine, !filter.includes(machine) {
                throw .noSuchMachine(machine)
            }
            try check(list)
        } catch {
            return .failure(error)
        }
        return page(.list(ListRead(list, by: request.caller)), of: request, in: turn)
    }

    /// A turn of `list`.
    ///
    /// Shows committed instances, with this batch's changes of those already on the page. An
    /// instance that the batch creates is listed after its commit.
    mutating func advance(_ read: inout ListRead, in turn: Turn) throws(Failure) -> Reply? {
        let list = read.list
        let filter = ReadFilter(access.subject(of: read.caller.principal))
        if let kind = list.held {
            return try advance(&read, holding: kind, filter, in: turn)
        }
        let prefix = list.machine.map { "\($0)/\(list.prefix)" } ?? ""
        var rowsLeft = Limits.pageInstancesPerTurn
        var bytesLeft = Limits.pageBytesPerTurn
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
                guard filter.includes(row.name), let stored = current(row),
                    read.list.includes(stored, catalogue)
                else { continue }
                if let state = read.list.state {
                    // A state of an earlier version is read and written for its name.
                    if catalogue.isOutdated(stored) { bytes += ListRead.bytesPerRewriting }
                    guard stateNames(of: stored).contains(state) else { continue }
                }
                if read.add(stored, hold) { return .listed(read.items, next: read.after) }
            }
            if rows.isEmpty { return .listed(read.items, next: nil) }
            // A reader who may not see all names isn't told where a page without items ends.
            if read.scanned >= Limits.listRowsScannedMax, filter.isOpen {
                return .listed(read.items, next: read.after)
            }
            rowsLeft -= rows.count
            bytesLeft -= bytes
            read.step = bytes > bytesLeft / 4 ? max(1, step / 4) : min(128, step * 2)
        }
        return nil
    }

    /// A turn of `list` with `held`. A held name without an instance is listed, too; it has no
    /// state.
    private mutating func advance(
        _ read: inout ListRead, holding kind: Hold.Kind, _ filter: ReadFilter, in turn: Turn
    ) throws(Failure) -> Reply? {
        let prefix = read.list.machine.map { "\($0)/\(read.list.prefix)" } ?? ""
        var rowsLeft = Limits.pageInstancesPerTurn / 4
        for name in holds.names(kind, after: read.after) {
            guard rowsLeft > 0 else { return nil }
            guard filter.includes(name), name.text.utf8.starts(with: prefix.utf8),
                let hold = holds[.instance(name)]
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
            if let state = read.list.state, !stateNames(of: stored).contains(state) { continue }
            if read.add(stored, hold) { return .listed(read.items, next: read.after) }
        }
        return .listed(read.items, next: nil)
    }

    /// The names of the instance's active states; most machines have one or none. Decoding them may
    /// run the machine's code, but not for an instance that is set aside, because that may end the
    /// process.
    mutating func stateNames(of stored: StoredInstance) -> [String] {
        guard let naming = catalogue.definition(of: stored)?.naming else { return [] }
        if holds.hasTrapped(stored.name) {
            return naming.writtenName(of: stored.state).map { [$0] } ?? []
        }
        let outer = witness(stored.name)
        defer { unwitness(outer) }
        return naming.names(of: stored.state, from: stored.definitionVersion)
    }

    /// The names of the active states, as a reply shows them; `nil` if states have no names.
    mutating func activeStates(of stored: StoredInstance) -> [String]? {
        guard catalogue.definition(of: stored)?.stateHasNames == true else { return nil }
        return stateNames(of: stored)
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
    /// The cost of re-encoding a state, in addition to its bytes.
    static let bytesPerRewriting = 4 << 10

    /// Adds an instance to the page; returns whether the page is full.
    fileprivate mutating func add(_ stored: StoredInstance, _ hold: Hold?) -> Bool {
        var item = Reply.ListItem(stored)
        if list.isOutdated != nil { item.definitionVersion = stored.definitionVersion }
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
    /// Whether an instance's last step was taken by an earlier version of its definition, or by
    /// another one if neither names a version. One of a machine that isn't hosted is not called so.
    func isOutdated(_ stored: StoredInstance) -> Bool {
        guard let present = self[stored.name.machine]?.version else { return false }
        let version = stored.definitionVersion
        return version.isHashVersion
            ? version != present : version.isEarlierVersion(than: present)
    }
}

extension Definition {
    /// Checks that a state with this name can exist.
    ///
    /// - Throws: ``Failure/badRequest(path:message:)`` if states have no names, or if all names are
    ///   known and none is this one.
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
