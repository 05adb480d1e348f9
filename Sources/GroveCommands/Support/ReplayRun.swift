import GroveEngine
import GroveStorage
import Transducers

/// One pass over a data file, which replays instances with other machines.
struct ReplayRun {
    private let catalogue: Catalogue
    /// The machines whose instances are replayed; `nil` for all.
    private let wanted: Set<String>?
    private let machine: String?
    private let instance: String?
    private var replay: Replay
    /// Whether the instances of the journal are there; the others were deleted.
    private var isThere: [InstanceNumber: Bool] = [:]
    private(set) var report: ReplayReport
    /// The machines that have instances, as far as they are selected.
    private(set) var machines: Set<String> = []

    /// - Parameters:
    ///   - families: The machines to try, each with its parts; those of the catalogue if there are
    ///     none.
    ///   - machine: The only machine to replay; `nil` for all.
    ///   - instance: The only instance to replay; `nil` for all.
    init(
        catalogue: Catalogue, families: [[Definition]], limit: Int, machine: String?,
        instance: String?
    ) {
        self.catalogue = catalogue
        self.machine = machine
        self.instance = instance
        wanted = families.isEmpty ? nil : Set(families.compactMap(\.first?.name))
        let tried = families.isEmpty ? catalogue.all : families.flatMap(\.self)
        self.tried = Set(tried.map(\.name))
        replay = Replay(trying: tried, over: catalogue)
        report = ReplayReport(limit: limit)
    }

    private let tried: Set<String>

    /// Whether an instance is replayed: a part of a machine counts as the machine.
    private func selects(_ name: InstanceName) -> Bool {
        if let instance, name.text != instance { return false }
        let own = name.machine
        if let machine, own != machine { return false }
        guard let wanted else { return true }
        return tried.contains(own) || wanted.contains(catalogue.family(of: own) ?? "")
    }

    /// Replays the journal, then counts the instances.
    ///
    /// - Parameter progress: Called with each journal position.
    mutating func read(
        _ store: SQLiteStore, _ progress: (JournalPosition) -> Void
    ) throws(StoreError) {
        try store.forEachRecord { (record, parent) throws(StoreError) in
            progress(record.sequence)
            guard record.makesVersion || record.kind == .stopped, let name = record.name,
                selects(name), try isThere(record.number, name, store)
            else { return }
            let obstacles = replay.obstacles.count
            report.add(record, replay.replay(record, parent: try parent()))
            if replay.obstacles.count > obstacles, let found = replay.obstacles[record.number] {
                report.add(found, of: name, record.number)
            }
        }
        report.steps = replay.steps
        try count(store)
    }

    /// Whether the instance of a step still is there. The steps of deleted ones are being erased.
    private mutating func isThere(
        _ number: InstanceNumber, _ name: InstanceName, _ store: SQLiteStore
    ) throws(StoreError) -> Bool {
        if let known = isThere[number] { return known }
        let found = try store.instance(named: name)?.number == number
        isThere[number] = found
        return found
    }

    /// Counts the instances, and those that have no steps in the journal.
    private mutating func count(_ store: SQLiteStore) throws(StoreError) {
        let prefix = instance ?? machine.map { $0 + "/" } ?? ""
        var after: String?
        while true {
            let page = try store.instances(prefix: prefix, after: after, limit: 256, bytes: 4 << 20)
            guard let last = page.last else { return }
            after = last.name.text
            for stored in page where selects(stored.name) {
                report.instances += 1
                machines.insert(stored.name.machine)
                guard isThere[stored.number] == nil else { continue }
                report.add(
                    tried.contains(stored.name.machine) ? .noBeginning : .noMachine, of: stored.name
                )
            }
        }
    }
}
