import GroveEngine

/// One effect that a robot requested, and its outcome according to the journal.
final class Wish {
    enum State: String {
        /// Not started: earlier parts of its sequence haven't ended.
        case asked
        /// Waits in its queue.
        case waiting
        case live, completed, failed, cancelled
        /// Ended together with its instance.
        case gone

        var isOpen: Bool { self == .waiting || self == .live }
    }

    let plan: Robot.Plan
    let tag: String
    let owner: AuditedInstance
    /// The journal step that requested it.
    let origin: JournalPosition
    /// Whether the instance's last step requested it, so that its results are dropped.
    let isLast: Bool
    /// The effects that must succeed before it starts.
    let after: [Wish]
    var run: Int64?
    var state = State.asked
    var begun: Timestamp?
    var attempt = 1
    /// The earliest time of the next attempt, or of the start in a queue with spacing.
    var notBefore: Timestamp?
    /// The number of results so far, without the last one.
    var emitted = 0
    /// For a send: the step in which the event was applied.
    var arrived: JournalPosition?
    /// Whether its completion can no longer be undone.
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

    /// Whether all effects before it have completed.
    var isReady: Bool { after.allSatisfy { $0.state == .completed } }
}

extension Wish: CustomStringConvertible {
    var description: String {
        "\(tag) of \(owner.name) (run \(run.map { "\($0)" } ?? "-"), \(state))"
    }
}

/// One instance according to the journal, also after its deletion.
final class AuditedInstance {
    let number: InstanceNumber
    let name: InstanceName
    var isDone = false
    var wasStopped = false
    var isGone = false
    /// The results that its state must contain.
    var log: [String] = []
    var wishes: [Wish] = []
    var byRun: [Int64: Wish] = [:]
    /// Effect numbers of events of sequences that are about to be applied.
    var applying: Set<Int64> = []
    /// The number of canceled events of sequences.
    var lostApplies = 0
    /// The tags of effects that are being undone, per list, next one first.
    var undoing: [[String]] = []
    /// Whether an undo may have been canceled.
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
