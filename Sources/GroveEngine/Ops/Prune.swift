import Transducers

// `prune`: removes the versions of a machine as data that no instance has. All instances of the
// machine are looked at, in turns as for a page.

extension Reply {
    /// The answer to `prune`, in the order in which the versions were defined.
    public struct Pruned: Sendable {
        /// The versions that were removed.
        public var removed: [String] = []
        /// Former versions that instances have.
        public var kept: [KeptVersion] = []

        /// A version that is kept.
        public struct KeptVersion: Sendable {
            public var version: String
            /// The number of its instances and of those of its parts; at least 1.
            public var instances: Int
        }
    }
}

extension Engine {
    /// `prune`: removes the versions of a machine as data that no instance has.
    mutating func prune(_ name: String, of request: Request, in turn: Turn) -> Reply? {
        do throws(Failure) {
            let present = try wholeMachine(named: name)
            let former = definedVersions(of: name, in: turn).filter { $0 != present.version }
            guard !former.isEmpty else { return .pruned(Reply.Pruned()) }
            let machines = catalogue.names(inFamilyOf: name).sorted()
            return page(
                .prune(PruneRead(name, machines: machines, former: former)), of: request, in: turn)
        } catch {
            return .failure(error)
        }
    }

    /// The present definition of a machine as data.
    ///
    /// - Throws: If it is another machine, or a part of one.
    func wholeMachine(named name: String) throws(Failure) -> Definition {
        guard let present = catalogue[name] else { throw .noSuchMachine(name) }
        guard present.isFixed, catalogue.family(of: name) == name else {
            throw .badRequest(
                path: "$.name",
                message: present.isFixed
                    ? "\(name) is a part of another machine"
                    : "\(name) is compiled into the server")
        }
        return present
    }

    /// The versions of a machine that are stored and can be used, in the order of their numbers.
    private func definedVersions(of name: String, in turn: Turn) -> [String] {
        let usable = Set(catalogue.versions(of: name))
        return turn.store.definitions.lazy.filter { $0.machine == name }.map(\.version)
            .filter(usable.contains)
    }

    /// A turn of `prune`. It relies on nothing that isn't committed: an instance counts with what
    /// the store has of it, and with what it got since the request.
    mutating func advance(_ read: inout PruneRead, in turn: Turn) throws(Failure) -> Reply? {
        _ = try wholeMachine(named: read.name)
        var rowsLeft = Limits.pageInstancesPerTurn
        var bytesLeft = Limits.pageBytesPerTurn
        while let (prefix, after) = read.next {
            guard rowsLeft > 0, bytesLeft > 0 else { return nil }
            let (limit, bytes) = (rowsLeft, bytesLeft)
            let rows = try reading { () throws(StoreError) in
                try turn.store.instances(
                    prefix: prefix, after: after, limit: limit, bytes: bytes)
            }
            for row in rows {
                read.count(row)
                bytesLeft -= row.state.count
            }
            rowsLeft -= max(rows.count, 1)
            read.advance(past: rows)
        }
        return finish(read, in: turn)
    }

    /// Removes the versions without instances.
    private mutating func finish(_ read: PruneRead, in turn: Turn) -> Reply {
        let present = catalogue[read.name]?.version
        var pruned = Reply.Pruned()
        var stay: [String] = []
        for version in definedVersions(of: read.name, in: turn) {
            guard version != present, let count = read.count(of: version), count == 0 else {
                stay.append(version)
                if version != present, let count = read.count(of: version) {
                    pruned.kept.append(Reply.Pruned.KeptVersion(version: version, instances: count))
                }
                continue
            }
            pruned.removed.append(version)
        }
        guard !pruned.removed.isEmpty else { return .pruned(pruned) }
        let removed = Set(pruned.removed)
        let bytes = turn.store.definitions.lazy
            .filter { $0.machine == read.name && removed.contains($0.version) }
            .reduce(0) { $0 + $1.text.count }
        keepCatalogue()
        catalogue.remove(removed, of: read.name, bytes: bytes, leaving: stay)
        batch.writes.definitions.append(.prune(read.name, versions: removed))
        return .pruned(pruned)
    }
}
