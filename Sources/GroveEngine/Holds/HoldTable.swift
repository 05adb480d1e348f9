import Transducers

/// The held subjects, including changes of the batch. Read before each step; it is empty on nearly
/// all servers, and then costs one comparison. Bounded by ``Limits/holdsMax``.
struct HoldTable {
    private var instances: [InstanceName: Hold] = [:]
    private var machines: [String: Hold] = [:]
    /// The subjects that the batch has changed, with their holds before.
    private var before: [HoldSubject: Hold?] = [:]
    /// The texts of released subjects whose effects are still to be woken.
    private(set) var waking: Set<String> = []
    /// The number of holds and releases.
    private(set) var changes = 0
    /// Machines that `describe` doesn't run, because that ended the process.
    var undescribed: Set<String> = []
    /// Whether the store was asked for ``waking``.
    private(set) var isWakingKnown = false

    init(_ holds: [HoldSubject: Hold]) {
        for (subject, hold) in holds { put(hold, on: subject) }
    }

    var isEmpty: Bool { instances.isEmpty && machines.isEmpty }
    var count: Int { instances.count + machines.count }

    func instances(_ kind: Hold.Kind) -> Int {
        instances.values.reduce(0) { $0 + ($1.kind == kind ? 1 : 0) }
    }

    func machines(_ kind: Hold.Kind) -> Int {
        machines.values.reduce(0) { $0 + ($1.kind == kind ? 1 : 0) }
    }

    subscript(subject: HoldSubject) -> Hold? {
        switch subject {
        case .instance(let name): instances[name]
        case .machine(let name): machines[name]
        }
    }

    /// The hold of an instance: its own, or else its machine's.
    func holding(_ name: InstanceName) -> (subject: HoldSubject, hold: Hold)? {
        if isEmpty { return nil }
        if let hold = instances[name] { return (.instance(name), hold) }
        if !machines.isEmpty, let hold = machines[name.machine] {
            return (.machine(name.machine), hold)
        }
        return nil
    }

    /// Whether the batch under way has changed the subject's hold.
    func isPending(_ subject: HoldSubject) -> Bool { before[subject] != nil }

    /// The instances held in this way after `after`, in the byte order of their names.
    func names(_ kind: Hold.Kind, after: String?) -> [InstanceName] {
        instances.filter { name, hold in
            hold.kind == kind
                && (after.map { $0.utf8.lexicographicallyPrecedes(name.text.utf8) } ?? true)
        }
        .keys.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    }

    /// The subjects that were set aside, in the byte order of their names, including those that an
    /// operator has suspended since.
    var trapped: [(subject: HoldSubject, hold: Hold)] {
        let all =
            machines.map { (HoldSubject.machine($0.key), $0.value) }
            + instances.map { (HoldSubject.instance($0.key), $0.value) }
        return all.filter(\.1.hasTrapped)
            .sorted { $0.0.text.utf8.lexicographicallyPrecedes($1.0.text.utf8) }
    }

    /// Whether code of the machine may end the process for this instance.
    func hasTrapped(_ name: InstanceName) -> Bool {
        if isEmpty { return false }
        if let hold = instances[name], hold.hasTrapped { return true }
        return !machines.isEmpty && machines[name.machine]?.hasTrapped == true
    }

    // MARK: Changing

    /// Holds or releases a subject; part of the batch.
    mutating func set(_ hold: Hold?, on subject: HoldSubject) {
        changes += 1
        if before[subject] == nil { before[subject] = .some(self[subject]) }
        put(hold, on: subject)
        if hold == nil { waking.insert(subject.text) } else { waking.remove(subject.text) }
    }

    private mutating func put(_ hold: Hold?, on subject: HoldSubject) {
        switch subject {
        case .instance(let name): instances[name] = hold
        case .machine(let name): machines[name] = hold
        }
    }

    mutating func endBatch() { if !before.isEmpty { before.removeAll() } }

    mutating func undoBatch() {
        if !before.isEmpty { changes += 1 }
        for (subject, hold) in before { put(hold, on: subject) }
        before.removeAll()
    }

    /// Lists the sleepers in the store again: a lost batch may have been going to wake some.
    mutating func relistSleepers() { isWakingKnown = false }

    // MARK: Waking

    /// Finds the released subjects among the handler queues of the store.
    mutating func listSleepers(_ queues: [String]) {
        isWakingKnown = true
        waking = Set(
            queues.compactMap { $0.asleepFor }.filter { text in
                HoldSubject(text: text).map { self[$0] == nil } ?? false
            })
    }

    /// Records that all effects of a subject are awake.
    mutating func endWaking(_ subject: String) { waking.remove(subject) }
}

extension String {
    /// The handler queue of effects that sleep while a subject is held. No handler has this name.
    static func sleepingQueue(_ subject: HoldSubject) -> String { asleepPrefix + subject.text }

    static func sleepingQueue(text: String) -> String { asleepPrefix + text }

    private static let asleepPrefix = "(asleep) "

    /// The subject whose effects sleep in this handler queue; `nil` for a handler's.
    var asleepFor: String? {
        guard hasPrefix(Self.asleepPrefix) else { return nil }
        return String(dropFirst(Self.asleepPrefix.count))
    }
}
