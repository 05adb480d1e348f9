/// `prune`, as far as it was read.
struct PruneRead {
    let name: String
    /// The names of the machine and its parts, in the order in which they are read.
    private let machines: [String]
    /// The number of instances that were found, by version. Only the versions that may be removed.
    private var instances: [String: Int] = [:]
    /// The versions that instances got since the request: these may be where it was read already.
    private var used: Set<String> = []
    /// The place in `machines`.
    private var place = 0
    private var after: String?

    init(_ name: String, machines: [String], former: [String]) {
        self.name = name
        self.machines = machines
        for version in former { instances[version] = 0 }
    }

    /// The same, unread. What instances got stays noted, also what they got by a batch that was
    /// lost: then a version is kept that another request removes.
    var rewound: PruneRead {
        var read = PruneRead(name, machines: machines, former: Array(instances.keys))
        read.used = used
        return read
    }

    /// Counts a stored instance.
    mutating func count(_ stored: StoredInstance) { instances[stored.definitionVersion]? += 1 }

    /// Notes that an instance of a machine got a version.
    mutating func noteUse(of version: String, by machine: String) {
        if instances[version] != nil, machines.contains(machine) { used.insert(version) }
    }

    /// How many instances a version has; `nil` if it wasn't looked for.
    func count(of version: String) -> Int? {
        instances[version].map { max($0, used.contains(version) ? 1 : 0) }
    }

    /// What the names of the next instances begin with, and the last name before them; `nil` at the
    /// end.
    var next: (prefix: String, after: String?)? {
        place < machines.count ? (machines[place] + "/", after) : nil
    }

    /// Goes to the instances after those that were read; to the next machine after none.
    mutating func advance(past rows: [StoredInstance]) {
        after = rows.last?.name.text
        if rows.isEmpty { place += 1 }
    }
}
