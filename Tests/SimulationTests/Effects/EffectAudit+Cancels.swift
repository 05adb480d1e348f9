import GroveEngine

// Checks of the effects that may be canceled and of those that must be.

extension EffectAudit {
    func cancel(_ wish: Wish, _ turn: Turn) throws {
        guard isWanted(wish, turn) else {
            throw Complaint("E8", "nobody wanted \(wish) cancelled")
        }
        switch wish.state {
        case .asked, .waiting, .live: wish.state = .cancelled
        // Canceled by a client: the kept row of an ended effect is dropped.
        case .completed, .failed: wish.isSettled = true
        case .cancelled, .gone: throw Complaint("E8", "\(wish) was cancelled twice")
        }
    }

    private func isWanted(_ wish: Wish, _ turn: Turn) -> Bool {
        if turn.record.isDone { return true }
        if turn.record.kind == .effect {
            return (log.cancels[turn.owner.name.text] ?? []).contains { wish.isMeant(by: $0) }
        }
        return (turn.order?.plans ?? []).flatMap(\.leaves).contains { leaf in
            leaf.tag == wish.tag ? isDropped(wish) : leaf.removes(wish)
        }
    }

    /// Whether an event of a sequence, which has no id, may be canceled.
    func isWanted(_ run: Int64, _ turn: Turn) -> Bool {
        if turn.record.isDone { return true }
        if turn.record.kind == .effect {
            return (log.cancels[turn.owner.name.text] ?? []).contains { choice in
                if case .request = choice { true } else { choice == .effect(run) }
            }
        }
        return (turn.order?.plans ?? []).flatMap(\.leaves).contains { leaf in
            if case .cancelAll = leaf { true } else { false }
        }
    }

    /// Whether a new effect is dropped because its slot or its queue is full.
    private func isDropped(_ wish: Wish) -> Bool {
        guard let work = wish.work else { return false }
        let others = wish.owner.wishes.filter { $0 !== wish && $0.state.isOpen }
        if work.keepsOldest { return others.contains { $0.plan.id == wish.plan.id } }
        return work.line == .discard2
            && others.count { $0.work?.line == .discard2 } == Robot.Line.discard2.max
    }

    /// Checks, after a record, that the effects its event cancels are canceled.
    func checkCancels(_ turn: Turn) throws {
        guard let order = turn.order else { return }
        let open = turn.owner.wishes.filter { $0.state.isOpen }
        for leaf in order.plans.flatMap(\.leaves) {
            for wish in open where wish.origin < turn.record.sequence && leaf.removes(wish) {
                throw Complaint("E8", "\(wish) should have been cancelled")
            }
        }
        let slots = open.compactMap(\.slot)
        guard Set(slots).count == slots.count else {
            throw Complaint("E8", "one slot of \(turn.owner.name) is taken twice")
        }
    }
}

extension Wish {
    /// Whether a client's request to cancel includes this effect.
    func isMeant(by choice: Operation.CancelChoice) -> Bool {
        switch choice {
        case .effect(let run): self.run == run
        case .id(let id): plan.id == id
        case .timer(let id): plan.id == id && plan.kind == "after"
        // An event can cause more effects than it requests, so this choice always matches.
        case .request: true
        }
    }
}

extension Robot.Plan {
    /// Whether a request for this plan ends another effect.
    func removes(_ wish: Wish) -> Bool {
        switch self {
        case .cancel(let id): wish.plan.id == id
        case .cancelPrefix(let prefix): wish.plan.id?.hasPrefix(prefix) ?? false
        case .cancelAll: true
        case .timer(_, let slot?, _): wish.plan.id == slot
        case .work(let work):
            (work.slot != nil && !work.keepsOldest && wish.plan.id == work.slot)
                || (work.line == .newest1 && wish.work?.line == .newest1)
        default: false
        }
    }
}
