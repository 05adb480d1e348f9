import GroveEngine
import GroveTestSupport
import OrderedJSON

// The checks at the end of a run: the stored data and the answers that clients received.

extension EffectAudit {
    /// Checks the final state of everything.
    mutating func finish() throws {
        for instance in instances.values.sorted(by: { $0.number < $1.number }) {
            try checkState(instance)
            for wish in instance.wishes { try check(wish) }
            guard instance.undoing.allSatisfy(\.isEmpty) || instance.isUndoingDisturbed else {
                throw Complaint("E3", "\(instance.name) hasn't undone \(instance.undoing)")
            }
        }
        for row in try store.effects(after: nil, limit: 100_000) { try check(row) }
        try checkChildren()
        try checkRequests()
        try checkReports()
    }

    private func checkState(_ instance: AuditedInstance) throws {
        let stored = try store.instance(named: instance.name)
        guard !instance.isGone else {
            guard stored?.number != instance.number else {
                throw Complaint("E10", "\(instance.name) is there after it was deleted")
            }
            return
        }
        guard let stored, stored.number == instance.number, stored.isDone == instance.isDone else {
            throw Complaint("E3", "\(instance.name) isn't there, or not as the journal says")
        }
        let document = try JSONDocument(parsing: stored.state)
        let state = try JSONCoding.decode(Robot.State.self, from: document, at: document.root)
        guard state.log == instance.log else {
            throw Complaint("E3", "\(instance.name) counts \(state.log), not \(instance.log)")
        }
        let once = instance.log.filter { !$0.hasPrefix("!") }
        guard Set(once).count == once.count else {
            throw Complaint("E3", "something came to \(instance.name) twice: \(once)")
        }
    }

    private func check(_ wish: Wish) throws {
        switch wish.state {
        case .asked:
            guard wish.isReady else { return }
            guard case .apply = wish.plan, wish.owner.lostApplies > 0 else {
                throw Complaint("E4", "\(wish) never began")
            }
            wish.owner.lostApplies -= 1
        case .waiting, .live:
            guard let ref = wish.ref, let row = try store.effect(ref) else {
                throw Complaint("E4", "\(wish) was lost")
            }
            let isAtRest =
                switch wish.plan {
                case .ask(_, nil): row.body.phase == .asking
                case .child: row.body.phase == .child && child(of: wish)?.isDone == false
                default: false
                }
            guard isAtRest else {
                throw Complaint("E4", "\(wish) waits for nothing: \(row.body.phase)")
            }
        case .completed, .failed:
            guard let work = wish.work, let ref = wish.ref else { return }
            guard handlers.tags[ref] == wish.tag, handlers.names[ref] == work.handler else {
                throw Complaint("E1", "\(wish) has ended, and no handler had it")
            }
        case .cancelled, .gone: break
        }
    }

    private func check(_ row: StoredEffect) throws {
        guard let owner = instances[row.ref.instance], !owner.isGone else {
            throw Complaint("E10", "\(row.body.owner) is gone, its run \(row.ref.number) isn't")
        }
        let wish = owner.byRun[row.ref.number]
        let isRight: Bool
        switch row.body.phase {
        case .asking, .child: isRight = wish?.state == .live && !owner.isDone
        case .completed:
            isRight = wish?.state == .completed && wish?.work?.isUndoable == true && !owner.isDone
        case .failed:
            isRight = wish.map { $0.state == .failed && $0.isLast } ?? false
        case .sequence: isRight = !owner.isDone && row.body.outstanding > 0
        case .waiting, .sleeping, .active, .delivering, .stopping: isRight = false
        }
        guard isRight, row.due == nil, row.handlerQueue == nil else {
            throw Complaint(
                "E10",
                "run \(row.ref.number) of \(row.body.owner) is left, \(row.body.phase): "
                    + "\(row.body.reason ?? "-"), \(wish.map { "\($0)" } ?? "nobody's")")
        }
    }

    /// Checks that a live attached child has a live parent that waits for it.
    private func checkChildren() throws {
        for stored in try store.instances(prefix: "", after: nil, limit: 100_000) {
            guard instances[stored.number] != nil else {
                throw Complaint("E10", "\(stored.name) is there, and the journal knows nothing")
            }
            guard let parent = stored.parent, !stored.isDone,
                let home = instances[parent.ref.instance], let wish = home.byRun[parent.ref.number],
                !wish.isDetached
            else { continue }
            guard wish.state == .live, !home.isDone, !home.isGone else {
                throw Complaint("E7", "\(stored.name) has outlived \(home.name): \(wish)")
            }
        }
    }

    private func checkRequests() throws {
        for serial in log.acked where serial > 0 && !applied.contains(serial) {
            throw Complaint("E2", "event \(serial) was acknowledged and isn't there")
        }
        for serial in log.refused where serial > 0 && applied.contains(serial) {
            throw Complaint("E2", "event \(serial) was refused and is there")
        }
        for (run, sequence) in log.cancelled {
            let number = try store.record(at: sequence)?.number
            guard let wish = number.flatMap({ instances[$0]?.byRun[run] }) else { continue }
            guard wish.state == .cancelled || wish.isSettled else {
                throw Complaint("E8", "\(wish) isn't cancelled, and was said to be")
            }
        }
        for text in log.taken {
            guard let ref = EffectToken(text)?.ref,
                let wish = instances[ref.instance]?.byRun[ref.number],
                wish.state == .completed || wish.state == .failed
            else { throw Complaint("E6", "the token \(text) was taken, and nothing came of it") }
        }
    }

    /// Checks that every applied report has had its effect.
    private func checkReports() throws {
        for told in log.applied {
            let ref = told.report.ref
            guard handlers.names[ref] != "undo" else { continue }
            guard let owner = instances[ref.instance], let wish = owner.byRun[ref.number] else {
                throw Complaint("E3", "a report of \(told.tag) counted, of which nobody knows")
            }
            let isRight: Bool
            switch told.report.outcome {
            case .emitted, .completed:
                let text = Robot.Came(tag: told.tag, number: told.number).text
                isRight =
                    wish.isLast || owner.log.contains(text)
                    || (told.number < 0 && wish.state == .failed)
            case .failed(_, let isPermanent):
                isRight = !isPermanent || wish.state == .failed
            case .cancelled: isRight = true
            }
            guard isRight else { throw Complaint("E3", "\(told) counted, and \(wish)") }
        }
    }
}
