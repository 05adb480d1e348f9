import Transducers

/// What is held, as the batch under way has it. Asked before every step, and empty on nearly
/// every server: then it costs a comparison. Bounded by ``Limits/holdsMax``.
struct HoldTable {
    private var instances: [InstanceName: Hold] = [:]
    private var machines: [String: Hold] = [:]
    /// What the batch has changed, as it was before.
    private var before: [HoldSubject: Hold?] = [:]
    /// Who slept for a subject that was let go: to be woken, the text of each subject.
    private(set) var waking: Set<String> = []
    /// How often something was held or let go.
    private(set) var changes = 0
    /// Machines that `describe` doesn't try out, because that ended the process.
    var undescribed: Set<String> = []
    /// Whether ``waking`` is known: not before the store was asked.
    private(set) var isWakingKnown = false

    init(_ holds: [HoldSubject: Hold]) {
        for (subject, hold) in holds { put(hold, on: subject) }
    }

    var isEmpty: Bool { instances.isEmpty && machines.isEmpty }
    var count: Int { instances.count + machines.count }

    /// How many instances are held so.
    func instances(_ kind: Hold.Kind) -> Int {
        instances.values.reduce(0) { $0 + ($1.kind == kind ? 1 : 0) }
    }

    /// How many machines are held so, each as a whole.
    func machines(_ kind: Hold.Kind) -> Int {
        machines.values.reduce(0) { $0 + ($1.kind == kind ? 1 : 0) }
    }

    subscript(subject: HoldSubject) -> Hold? {
        switch subject {
        case .instance(let name): instances[name]
        case .machine(let name): machines[name]
        }
    }

    /// What holds an instance: itself first, then its machine.
    func holding(_ name: InstanceName) -> (subject: HoldSubject, hold: Hold)? {
        if isEmpty { return nil }
        if let hold = instances[name] { return (.instance(name), hold) }
        if !machines.isEmpty, let hold = machines[name.machine] {
            return (.machine(name.machine), hold)
        }
        return nil
    }

    /// Whether only the batch that isn't committed yet has made the subject what it is.
    func isPending(_ subject: HoldSubject) -> Bool { before[subject] != nil }

    /// The instances that are held so, in the byte order of their names, behind `after`.
    func names(_ kind: Hold.Kind, after: String?) -> [InstanceName] {
        instances.filter { name, hold in
            hold.kind == kind
                && (after.map { $0.utf8.lexicographicallyPrecedes(name.text.utf8) } ?? true)
        }
        .keys.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    }

    /// What was set aside: machines, and instances in the byte order of their names. Also those
    /// that an operator has suspended since.
    var trapped: [(subject: HoldSubject, hold: Hold)] {
        let all =
            machines.map { (HoldSubject.machine($0.key), $0.value) }
            + instances.map { (HoldSubject.instance($0.key), $0.value) }
        return all.filter(\.1.hasTrapped)
            .sorted { $0.0.text.utf8.lexicographicallyPrecedes($1.0.text.utf8) }
    }

    /// Whether code of the machine may end the process when it is run for the instance.
    func hasTrapped(_ name: InstanceName) -> Bool {
        if isEmpty { return false }
        if let hold = instances[name], hold.hasTrapped { return true }
        return !machines.isEmpty && machines[name.machine]?.hasTrapped == true
    }

    // MARK: Changing

    /// Holds a subject, or lets it go; part of the batch.
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

    /// The batch is committed.
    mutating func endBatch() { if !before.isEmpty { before.removeAll() } }

    /// Undoes the changes of a batch that isn't committed.
    mutating func undoBatch() {
        if !before.isEmpty { changes += 1 }
        for (subject, hold) in before { put(hold, on: subject) }
        before.removeAll()
    }

    /// Has the store asked again for effects that sleep: some that were to wake may not have.
    mutating func forgetSleepers() { isWakingKnown = false }

    // MARK: Waking

    /// Takes note of the lanes of sleepers that the store has: those that nothing holds any more
    /// are to be woken.
    mutating func findSleepers(_ queues: [String]) {
        isWakingKnown = true
        waking = Set(
            queues.compactMap { $0.asleepFor }.filter { text in
                HoldSubject(text: text).map { self[$0] == nil } ?? false
            })
    }

    /// All who slept for a subject are woken.
    mutating func wokeAll(of subject: String) { waking.remove(subject) }
}

extension String {
    /// The lane of effects that sleep because a subject is held. No handler is named so.
    static func sleepingQueue(_ subject: HoldSubject) -> String { asleepPrefix + subject.text }

    /// The same for the text of a subject.
    static func sleepingQueue(text: String) -> String { asleepPrefix + text }

    private static let asleepPrefix = "(asleep) "

    /// For which subject the effects of this lane sleep; `nil` where it is a handler's.
    var asleepFor: String? {
        guard hasPrefix(Self.asleepPrefix) else { return nil }
        return String(dropFirst(Self.asleepPrefix.count))
    }
}
