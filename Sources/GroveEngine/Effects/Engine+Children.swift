import OrderedJSON
import Transducers

// Children: instances that belong to an effect of another instance.

extension Engine {
    mutating func startChild(
        _ row: StoredEffect, machine: String, instance: String?, input: JSONValue?,
        in live: LiveEffects
    ) {
        let turn = live.turn
        do throws(Failure) {
            let name = try childName(machine, instance, at: live.place, in: turn)
            let outer = batch.cause.trace
            batch.cause.trace = row.body.traceparent
            defer { batch.cause.trace = outer }
            let parent = InstanceStarter(instances.residents[live.place].stored)
            let child = try makeChild(name, of: row, for: parent, input: input, in: turn)
            var row = row
            row.due = nil
            row.body.child = name.text
            row.body.phase = .child
            live.effects.put(row)
            appendEffectRecord(live)
            if instances.residents[child].stored.isDone {
                notifyParent(of: child, stopReason: nil, in: turn)
            }
        } catch {
            if case .held(let subject, _) = error { return sleep(row, for: subject, in: live) }
            fail(row, in: live, reason: error.summary)
        }
    }

    /// Returns the name that the machine has given the child, or one in its parent's family: with
    /// the number that the new instance gets, which no other instance of the data file ever has.
    ///
    /// Where a client has made an instance of that name, it skips a random number of names, from a
    /// range that doubles up to 2^32. So a client can't occupy all names in advance.
    private mutating func childName(
        _ machine: String, _ instance: String?, at place: InstanceTable.Place, in turn: Turn
    ) throws(Failure) -> InstanceName {
        if let instance { return try Self.name(machine, instance) }
        let family = instances.residents[place].stored.name.family
        for attempt in 0..<Limits.childNameTriesMax {
            let name = try Self.name(machine, "\(family)~\(batch.lastNumber.value + 1)")
            guard case .resident = try find(name, in: turn) else { return name }
            var generator = options.random
            batch.lastNumber.value += .random(in: 1...(1 << min(attempt, 32)), using: &generator)
            options.random = generator
        }
        throw .limit("all names that a child of \(family) could have next are taken")
    }

    private static func name(
        _ machine: String, _ instance: String
    ) throws(Failure) -> InstanceName {
        let text = "\(machine)/\(instance)"
        guard let name = InstanceName(text) else {
            throw .badRequest(path: "$.to", message: "\"\(text)\" is no machine/instance")
        }
        return name
    }

    private mutating func makeChild(
        _ name: InstanceName, of row: StoredEffect, for parent: InstanceStarter,
        input: JSONValue?, in turn: Turn
    ) throws(Failure) -> InstanceTable.Place {
        // A machine that takes no input gets it as its first event.
        let definition = catalogue.definition(ofNew: name.machine, for: parent)
        if let input, definition?.machine.takesInput != true {
            let failure = send(input, from: nil, to: name.text, create: .must, in: turn)
            if let failure { throw failure }
        } else {
            let create = Create(to: name, input: input, dedup: nil)
            let reply = self.create(create, parent: parent, in: turn)
            if case .failure(let failure) = reply { throw failure }
        }
        guard let child = instances.place(of: name) else {
            preconditionFailure("a new instance is in memory")
        }
        instances.residents[child].stored.parent = StoredInstance.Parent(
            name: row.body.owner, ref: row.ref)
        markDirty(child)
        return child
    }

    /// Gives the parent of an instance that has ended the result, or the failure. Does nothing if
    /// the instance is no child, or if its parent can't be read.
    ///
    /// - Parameter stopReason: The reason of its stop; `nil` if it ended by itself.
    mutating func notifyParent(
        of place: InstanceTable.Place, stopReason: String?, in turn: Turn
    ) {
        let child = instances.residents[place].stored
        guard let parent = child.parent, let name = InstanceName(parent.name) else { return }
        do throws(Failure) {
            guard case .resident(let home) = try find(name, in: turn),
                instances.residents[home].stored.number == parent.ref.instance
            else { return }
            try readEffects(at: home, in: turn)
            guard let effects = instances.residents[home].effects,
                var row = effects[parent.ref.number], row.body.phase == .child
            else { return }
            if let stopReason {
                let reason = stopReason.isEmpty ? "" : ": \(stopReason)"
                row.body.outcome = .failure("\(child.name) was stopped\(reason)")
            } else {
                row.body.outcome = Self.outcome(of: child)
            }
            row.body.phase = .delivering
            row.due = turn.now
            effects.put(row)
            markDirty(home)
            enqueueIfDue(row, at: turn.now)
        } catch {
            // The next reader of the parent gets the error.
        }
    }

    /// The outcome of a child that ended by itself; `null` if it has no result.
    private static func outcome(of child: StoredInstance) -> StoredEffect.Body.Outcome {
        guard let result = child.result else { return .result(.null) }
        do {
            return .result(try JSONValue(parsing: result, limits: .stored))
        } catch {
            return .failure("the result of \(child.name) can't be read: \(error)")
        }
    }

    /// Stops the child of an effect, if it still runs.
    mutating func stopChild(of row: StoredEffect, in turn: Turn) throws(Failure) {
        guard let text = row.body.child, let name = InstanceName(text),
            case .resident(let place) = try find(name, in: turn)
        else { return }
        let stored = instances.residents[place].stored
        guard stored.parent?.ref == row.ref, !stored.isDone else { return }
        let reason = "its parent \(row.body.owner) ended or cancelled it"
        let outer = batch.cause.trace
        batch.cause.trace = row.body.traceparent ?? outer
        defer { batch.cause.trace = outer }
        if case .failure(let failure) = stop(name, reason: reason, in: turn) { throw failure }
    }
}
