import GroveEngine

/// One effect that a robot asked for, and what became of it as the journal tells.
final class Wish {
    enum State: String {
        /// Not begun: its sequence hasn't come so far.
        case asked
        /// In its queue.
        case waiting
        case live, completed, failed, cancelled
        /// With its instance.
        case gone

        var isOpen: Bool { self == .waiting || self == .live }
    }

    let plan: Robot.Plan
    let tag: String
    let owner: AuditedInstance
    /// The journal step that asked for it.
    let origin: JournalPosition
    /// Whether it was asked for with the last step, so that nobody hears of it.
    let isLast: Bool
    /// The effects that must succeed before it starts.
    let after: [Wish]
    var run: Int64?
    var state = State.asked
    var begun: Timestamp?
    var attempt = 1
    /// The earliest time of the next try, or of the start in a queue with spacing.
    var notBefore: Timestamp?
    /// Results so far, those before the end.
    var emitted = 0
    /// For a send: the step in which the event was applied.
    var arrived: JournalPosition?
    /// Whether it is not to be undone any more.
    var isSettled = false

    init(
        _ plan: Robot.Plan, tag: String, owner: AuditedInstance, origin: JournalPosition,
        isLast: Bool, after: [Wish]
    ) {
        self.plan = plan
        self.tag = tag
        self.owner = owner
        self.origin = origin
        self.isLast = isLast
        self.after = after
    }

    var ref: EffectRef? { run.map { EffectRef(instance: owner.number, number: $0) } }

    var work: Robot.Work? { if case .work(let work) = plan { work } else { nil } }

    var slot: String? {
        switch plan {
        case .timer(_, let slot, _): slot
        case .work(let work): work.slot
        default: nil
        }
    }

    var isDetached: Bool {
        if case .child(_, let isDetached, _) = plan { isDetached } else { false }
    }

    /// The time from its start until it is due.
    var delay: Int64? {
        switch plan {
        case .timer(_, _, let delay), .end(_, let delay, _), .send(_, _, let delay): delay
        case .ask(_, let delay): delay
        default: nil
        }
    }

    /// Whether all that comes before it has ended well.
    var isReady: Bool { after.allSatisfy { $0.state == .completed } }
}

extension Wish: CustomStringConvertible {
    var description: String {
        "\(tag) of \(owner.name) (run \(run.map { "\($0)" } ?? "-"), \(state))"
    }
}

/// One instance as the journal tells of it, also after it was deleted.
final class AuditedInstance {
    let number: InstanceNumber
    let name: InstanceName
    var isDone = false
    var wasStopped = false
    var isGone = false
    /// The results that its state should have.
    var log: [String] = []
    var wishes: [Wish] = []
    var byRun: [Int64: Wish] = [:]
    /// Runs of events of sequences that are about to be applied.
    var applying: Set<Int64> = []
    /// The number of cancelled ones.
    var lostApplies = 0
    /// Tags that are being undone, list by list, the next one first.
    var undoing: [[String]] = []
    /// Whether what is being undone may have been cancelled.
    var isUndoingDisturbed = false

    init(number: InstanceNumber, name: InstanceName) {
        self.number = number
        self.name = name
    }

    func end() {
        for wish in wishes where wish.state == .asked { wish.state = .gone }
        isUndoingDisturbed = true
    }
}
