import OrderedJSON
import Transducers

// Sends of instances: to others by name, to their children, and to their parents.

extension Engine {
    mutating func send(
        _ row: StoredEffect, _ event: JSONValue, to target: String, in live: LiveEffects
    ) {
        if target.utf8.first == UInt8(ascii: "#"), child(named: target, in: live) == nil {
            return sendToNoChild(row, target, in: live)
        }
        let delivery: (name: String, origin: EventOrigin)?
        do throws(Failure) {
            delivery = try self.delivery(of: row, to: target, in: live)
        } catch {
            return fail(row, in: live, reason: error.summary)
        }
        guard let delivery else {
            // A stop of this instance that is still to come would cancel it, too.
            cancel([row.ref.number], in: live)
            return appendEffectRecord(live, of: row)
        }
        let failure = withCause(of: row) { engine in
            engine.send(
                event, from: delivery.origin, to: delivery.name,
                create: row.isToParent ? .never : .ifAbsent, in: live.turn)
        }
        // A send to the instance itself may have canceled its own effect.
        guard live[row.ref.number] != nil else { return appendEffectRecord(live) }
        guard let failure else {
            return complete(
                row, in: live, record: EffectRecord(.completed, row), event: nil)
        }
        if case .held(let subject, _) = failure { return sleep(row, for: subject, in: live) }
        fail(row, in: live, reason: failure.summary)
    }

    /// The child of the effect that a target `#KEY` names; `nil` for another target, and without
    /// such a child.
    private func child(named target: String, in live: LiveEffects) -> String? {
        guard target.utf8.first == UInt8(ascii: "#") else { return nil }
        return live.effects.numbers(named: String(target.dropFirst())).lazy
            .compactMap { live[$0]?.body.child }.first
    }

    /// A send to a child that isn't there. Before its start it waits; after its end nobody is there
    /// to take the event, which is no failure.
    private mutating func sendToNoChild(
        _ row: StoredEffect, _ target: String, in live: LiveEffects
    ) {
        guard live.effects.numbers(named: String(target.dropFirst())).isEmpty else {
            var row = row
            row.due = live.now.advanced(by: Limits.childWaitMilliseconds)
            live.effects.put(row)
            return markDirty(live.place)
        }
        complete(row, in: live, record: EffectRecord(.completed, row), event: nil)
    }

    /// The recipient of an effect that sends, and the origin of what it sends. A target `#KEY` is
    /// the child that the sender's effect of that name has started. `nil` for an event to a parent
    /// that has ended the sender, or is gone: a new instance of its name is no parent.
    private mutating func delivery(
        of row: StoredEffect, to target: String, in live: LiveEffects
    ) throws(Failure) -> (name: String, origin: EventOrigin)? {
        let sender = instances.residents[live.place].stored
        let own = self.child(named: target, in: live)
        let name = own ?? target
        let isToParent = sender.parent?.name == name
        let starter = isToParent ? try self.starter(of: sender, in: live.turn) : nil
        if row.isToParent, starter == nil { return nil }
        let origin = EventOrigin(
            sender: sender.name.text, key: row.body.run?.key ?? HostedKey(id: nil),
            child: starter?.body.run?.key, isParent: own != nil)
        return (name, origin)
    }

    /// The effect that has started an instance and waits for its end, or applies it. `nil` if it
    /// has ended or was canceled, and if the instance is no child.
    private mutating func starter(
        of child: StoredInstance, in turn: Turn
    ) throws(Failure) -> StoredEffect? {
        guard let parent = child.parent, let name = InstanceName(parent.name),
            case .resident(let place) = try find(name, in: turn),
            instances.residents[place].stored.number == parent.ref.instance
        else { return nil }
        try readEffects(at: place, in: turn)
        guard let row = instances.residents[place].effects?[parent.ref.number],
            row.body.child == child.name.text,
            row.body.phase == .child || row.body.phase == .delivering
        else { return nil }
        return row
    }

    // MARK: Before a child's end

    /// Delivers what a child has sent to its parent in its last step: it comes before the end,
    /// whatever order the store finds them in.
    ///
    /// - Parameter row: The effect with the child's outcome.
    /// - Returns: Whether the outcome is next. It isn't if an event has canceled the effect, or if
    ///   there are more events than one turn or the batch has room for: then the effect stays due.
    mutating func deliverLastEvents(before row: StoredEffect, in live: LiveEffects) -> Bool {
        let sends: [StoredEffect]
        do throws(Failure) {
            sends = try lastEvents(of: row, in: live.turn)
        } catch {
            // The child can't be read, but its outcome is here.
            return true
        }
        for (index, send) in sends.enumerated() {
            guard index < Limits.lastEventsPerTurn, batch.bytes < Limits.batchBytesMax else {
                return false
            }
            applyOrSkip(send.ref, owner: send.body.owner, in: live.turn)
            // It was only woken.
            if send.body.asleep != nil {
                applyOrSkip(send.ref, owner: send.body.owner, in: live.turn)
            }
            guard live[row.ref.number]?.body.phase == .delivering else { return false }
        }
        return true
    }

    /// The events that a child has sent to its parent and that wait for nothing but their turn.
    private mutating func lastEvents(
        of row: StoredEffect, in turn: Turn
    ) throws(Failure) -> [StoredEffect] {
        guard let text = row.body.child, let name = InstanceName(text),
            case .resident(let place) = try find(name, in: turn),
            instances.residents[place].stored.parent?.ref == row.ref,
            holds.holding(name) == nil
        else { return [] }
        try readEffects(at: place, in: turn)
        guard let effects = instances.residents[place].effects else { return [] }
        return effects.sorted.filter { send in
            guard send.isToParent, !schedule.unreadable.contains(send.ref) else { return false }
            guard send.body.asleep != nil else { return send.isDue(at: turn.now) }
            let subject = send.handlerQueue?.asleepFor.flatMap { HoldSubject(text: $0) }
            return subject.map { holds[$0] == nil } ?? true
        }
    }

    // MARK: Events of instances

    /// Sends an event on behalf of an instance. An event that only its own machine sends is
    /// refused from another machine, because a client may choose what that sends (`periodic`).
    ///
    /// - Parameter origin: The origin; `nil` for the first event of a child, which the parent's
    ///   author has chosen.
    /// - Returns: The refusal, if it was refused.
    mutating func send(
        _ event: JSONValue, from origin: EventOrigin?, to target: String, create: Send.CreateMode,
        in turn: Turn
    ) -> Failure? {
        guard let name = InstanceName(target) else {
            return .badRequest(path: "$.to", message: "\"\(target)\" is no machine/instance")
        }
        guard let definition = catalogue[name.machine] else { return .noSuchMachine(name.machine) }
        // Reading the event may end the process.
        if holds.hasTrapped(name), let (subject, hold) = holds.holding(name) {
            return .held(subject, hold.kind)
        }
        let input: EventInput
        do {
            let decoded =
                if let origin {
                    try definition.machine.decodeEvent(event, from: origin)
                } else {
                    try definition.machine.decodeEvent(event)
                }
            let isForeign =
                origin.map { InstanceName($0.sender)?.machine != name.machine } ?? false
            let internalName = isForeign ? definition.internalName(of: decoded) : nil
            input =
                internalName.map { .internalOnly(decoded, name: $0) } ?? .decoded(decoded)
        } catch {
            input = .undecodable(error)
        }
        let records = batch.effects.removeRecords()
        precondition(records.isEmpty, "changes belong to the record that is being made")
        let send = Send(to: name, event: input, eventText: event.serialized(), create: create)
        guard case .failure(let failure) = self.send(send, in: turn) else { return nil }
        return failure
    }
}

extension StoredEffect {
    /// Whether it sends to the instance that started its own.
    fileprivate var isToParent: Bool { body.run?.isToParent == true }
}
