import GroveEngine
import OrderedJSON

/// The journal's records about an effect.
struct Note {
    let type: String
    let run: Int64
    let id: String?
    let kind: String?
    let name: String?
    let attempt: Int?
    let reason: String
    let due: Timestamp?
    let number: Int?
    let undoes: Int?

    init(_ bytes: [UInt8]) throws {
        let value = try JSONValue(parsing: bytes)
        type = value["type"]?.string ?? "?"
        run = value["effect"]?.integer ?? 0
        id = value["id"]?.string
        kind = value["kind"]?.string
        name = value["name"]?.string
        attempt = value["attempt"]?.integer.map { Int($0) }
        reason = value["reason"]?.string ?? ""
        due = value["due_ms"]?.integer.map { Timestamp(milliseconds: $0) }
        number = value["number"]?.integer.map { Int($0) }
        undoes = value["undoes"]?.integer.map { Int($0) }
    }
}

extension EffectAudit {
    mutating func take(_ note: Note, _ turn: inout Turn) throws {
        switch note.type {
        case "refused":
            guard turn.owner.isDone else {
                throw Complaint("E3", "\(turn.owner.name) refused: \(note.reason)")
            }
        case "stale": break
        default:
            if note.id == nil, note.kind == "perform" { return try undo(note, turn) }
            if note.id == nil, note.kind == "event" { return try apply(note, &turn) }
            let wish = try find(note, turn)
            switch note.type {
            case "waiting": try wait(wish, note)
            case "started": try start(wish, note, turn)
            case "retrying": try retry(wish, note)
            case "emitted": try emit(wish, note, &turn)
            case "completed": try complete(wish, note, &turn)
            case "failed": try fail(wish, note, &turn)
            case "cancelled": try cancel(wish, turn)
            default: throw Complaint("E3", "a note of type \(note.type)")
            }
        }
    }

    /// Returns the effect of a note: the one with its number, or the first that can start.
    private func find(_ note: Note, _ turn: Turn) throws -> Wish {
        if let wish = turn.owner.byRun[note.run] { return wish }
        let wish = turn.owner.wishes.first {
            $0.state == .asked && $0.plan.kind == note.kind && $0.plan.id == note.id && $0.isReady
        }
        guard let wish else {
            throw Complaint("E9", "nobody asked \(turn.owner.name) for \(note)")
        }
        wish.run = note.run
        turn.owner.byRun[note.run] = wish
        return wish
    }

    private func demand(_ wish: Wish, _ isRight: Bool, _ note: Note) throws {
        guard isRight else { throw Complaint("E3", "\(wish) in the wrong state: \(note)") }
    }

    // MARK: Start

    private func wait(_ wish: Wish, _ note: Note) throws {
        try demand(wish, [.asked, .waiting].contains(wish.state) && wish.work?.line != nil, note)
        wish.state = .waiting
        wish.notBefore = note.due
    }

    private func start(_ wish: Wish, _ note: Note, _ turn: Turn) throws {
        let now = turn.record.at
        let isAnew = wish.state == .live
        if isAnew {
            wish.attempt += 1
            try demand(wish, wish.work != nil && wish.notBefore != nil, note)
        } else {
            try demand(wish, wish.state == .asked || wish.state == .waiting, note)
            wish.state = .live
            wish.begun = now
        }
        if wish.work != nil { try demand(wish, note.attempt == wish.attempt, note) }
        let isByHand = wish.ref.map { log.retried.contains($0) } ?? false
        if let earliest = wish.notBefore, now < earliest, !isByHand {
            throw Complaint("E4", "\(wish) began at \(now), not after \(earliest)")
        }
        wish.notBefore = nil
        if let delay = wish.delay, let due = note.due {
            try demand(wish, due.milliseconds == now.milliseconds + delay, note)
        }
    }

    private func retry(_ wish: Wish, _ note: Note) throws {
        try demand(wish, wish.state == .live && note.attempt == wish.attempt, note)
        try demand(wish, wish.attempt < wish.work?.tries ?? 0, note)
        wish.notBefore = note.due
    }

    // MARK: End

    private func emit(_ wish: Wish, _ note: Note, _ turn: inout Turn) throws {
        try demand(wish, wish.state == .live && note.number == wish.emitted + 1, note)
        wish.emitted += 1
        try cause(wish, note, &turn)
    }

    private func cause(_ wish: Wish, _ note: Note, _ turn: inout Turn) throws {
        guard turn.cause == nil else {
            throw Complaint("E3", "one step for \(wish) and \(String(describing: turn.cause))")
        }
        turn.cause = wish
        turn.note = note
    }

    private func complete(_ wish: Wish, _ note: Note, _ turn: inout Turn) throws {
        try demand(wish, wish.state == .live, note)
        wish.state = .completed
        try cause(wish, note, &turn)
        switch wish.plan {
        case .timer, .end: try checkTime(wish, turn.record)
        case .send:
            guard let arrived = wish.arrived, isSameCommit(arrived, turn.record.sequence) else {
                throw Complaint("E5", "\(wish) has ended, and nothing arrived with it")
            }
        case .child:
            guard let child = child(of: wish), child.isDone, !child.wasStopped else {
                throw Complaint("E7", "\(wish) has a result, and its child hasn't ended")
            }
        case .compensate: try compensate(wish, note, turn)
        default: break
        }
    }

    private func fail(_ wish: Wish, _ note: Note, _ turn: inout Turn) throws {
        try demand(wish, wish.state == .live, note)
        wish.state = .failed
        try cause(wish, note, &turn)
        let isExplained: Bool
        switch wish.plan {
        case .work(let work):
            isExplained =
                note.reason == "permanent" || note.reason.hasPrefix("the result is no event")
                || (["transient", "timed out"].contains(note.reason)
                    && wish.attempt == work.tries)
        case .ask:
            if note.reason != "no" { try checkTime(wish, turn.record) }
            isExplained = true
        case .send(_, let target, _):
            let name = InstanceName(target)
            isExplained = name.flatMap { instance(named: $0) }?.isDone ?? false
        case .child(let tag, _, _):
            let child = child(of: wish)
            let name = InstanceName("robot/\(Robot.childName(tag))")
            isExplained =
                child.map { $0.wasStopped || $0.isGone } ?? false
                || (note.reason.hasSuffix("exists already")
                    && name.flatMap { instance(named: $0) } != nil)
                || (note.reason.contains("doesn't have") && log.wasDowngraded)
        default: isExplained = false
        }
        guard isExplained else { throw Complaint("E3", "\(wish) failed: \(note.reason)") }
    }

    /// Returns the child that an effect has started.
    func child(of wish: Wish) -> AuditedInstance? {
        let name = "robot/\(Robot.childName(wish.tag))"
        return instances.values.filter { $0.name.text == name && $0.number > wish.owner.number }
            .min { $0.number < $1.number }
    }

    // MARK: Events of sequences

    /// Checks a note about an event of a sequence. These have no ids, so the event's tag identifies
    /// it.
    private func apply(_ note: Note, _ turn: inout Turn) throws {
        switch note.type {
        case "started": turn.owner.applying.insert(note.run)
        case "completed":
            guard turn.owner.applying.remove(note.run) != nil else {
                throw Complaint("E3", "\(turn.owner.name) applies what never began: \(note)")
            }
            guard case .came(let came)? = turn.event else { return }
            guard let wish = wishes[came.tag], case .apply = wish.plan, wish.owner === turn.owner,
                wish.state == .asked, wish.isReady
            else { throw Complaint("E9", "\(came.text) comes out of turn") }
            wish.run = note.run
            wish.state = .completed
            try cause(wish, note, &turn)
        case "cancelled":
            guard turn.owner.applying.remove(note.run) != nil, isWanted(note.run, turn) else {
                throw Complaint("E8", "nobody wanted \(note) cancelled")
            }
            turn.owner.lostApplies += 1
        default: throw Complaint("E3", "an event of a sequence is \(note)")
        }
    }

    // MARK: Undoing

    private func compensate(_ wish: Wish, _ note: Note, _ turn: Turn) throws {
        let undone = turn.owner.wishes
            .filter { $0.state == .completed && $0.work?.isUndoable == true && !$0.isSettled }
            .sorted { ($0.run ?? 0) > ($1.run ?? 0) }
        guard note.undoes == undone.count else {
            throw Complaint("E3", "\(wish) undoes \(note.undoes ?? -1), not \(undone)")
        }
        for wish in undone { wish.isSettled = true }
        if !undone.isEmpty { turn.owner.undoing.append(undone.map(\.tag)) }
    }

    private func undo(_ note: Note, _ turn: Turn) throws {
        if note.type == "cancelled" { turn.owner.isUndoingDisturbed = true }
        // A permanently failed undo doesn't prevent later ones.
        guard note.type == "completed" || note.type == "failed" else { return }
        let ref = EffectRef(instance: turn.owner.number, number: note.run)
        guard let tag = handlers.tags[ref],
            let list = turn.owner.undoing.firstIndex(where: { $0.first == tag })
        else {
            let tag = handlers.tags[ref] ?? "nothing"
            throw Complaint(
                "E9",
                "run \(note.run) of \(turn.owner.name) undid \(tag) out of turn, "
                    + "\(turn.owner.undoing) come next: \(note)")
        }
        turn.owner.undoing[list].removeFirst()
    }
}
