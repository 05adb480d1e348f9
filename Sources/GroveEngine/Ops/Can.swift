import OrderedJSON
import Transducers

/// `can`: tries an event without applying it.
public struct Can: Sendable {
    public var to: InstanceName
    public var event: EventInput
    /// The event as it was sent: it counts toward the bytes of a step, which have a bound.
    public var eventText: [UInt8]

    public init(to: InstanceName, event: EventInput, eventText: [UInt8]) {
        self.to = to
        self.event = event
        self.eventText = eventText
    }
}

extension Reply {
    /// The answer to `can`.
    public struct Can: Sendable {
        /// The state that the event would lead to, as JSON; `nil` when it would be refused.
        public var state: [UInt8]?
        public var reason: String?
        /// The events that the machine would accept, if it knows them.
        public var accepts: [String] = []

        init(state: [UInt8]) { self.state = state }

        init(refusal reason: String, accepts: [String]) {
            self.reason = reason
            self.accepts = accepts
        }
    }
}

/// A copy of an instance to try an event on.
private struct Trial {
    var machine: any HostedInstance
    let isDone: Bool
    /// The number of its effects.
    let effects: Int64
    let context: StepContext
}

extension Engine {
    /// `can`: tries the event on a copy, which is discarded. Nothing is created or stored, but the
    /// instance may be read into memory.
    mutating func can(_ can: Can, in turn: Turn) -> Reply {
        let outer = witness(can.to)
        defer { unwitness(outer) }
        do throws(Failure) {
            let input = try known(can.event, can.eventText, of: can.to)
            if case .withheld = input {
                try requireFree(can.to)
                throw Failure.busy("\(can.to) was let go at this moment")
            }
            guard let definition = catalogue[can.to.machine] else {
                throw Failure.noSuchMachine(can.to.machine)
            }
            let found = try find(can.to, in: turn)
            if case .resident(let place) = found, instances.residents[place].stored.isDone {
                return .can(Reply.Can(refusal: "\(can.to) is done", accepts: []))
            }
            try requireFree(can.to)
            var trial = try copy(found, definition, can.to, at: turn.now)
            guard !trial.isDone else {
                return .can(Reply.Can(refusal: "\(can.to) is done", accepts: []))
            }
            let event = try decoded(input)
            // The buffer of steps keeps count of closures: this one is another.
            var step = StepBuffer()
            swap(&step, &scratch)
            defer { swap(&step, &scratch) }
            do throws(StepFailure) {
                try trial.machine.apply(event, in: trial.context, into: &scratch)
            } catch .rejected(let rejection) {
                return .can(Reply.Can(refusal: rejection.reason, accepts: rejection.accepts))
            } catch {
                throw Failure(error, state: [], event: [])
            }
            try checkStep(
                can.eventText, beside: trial.effects,
                bytes: effectBytes(of: found, in: turn))
            return .can(Reply.Can(state: scratch.state.bytes))
        } catch {
            return .failure(error)
        }
    }

    /// The estimated bytes of the instance's effects after the step in `scratch`.
    private mutating func effectBytes(of found: Lookup, in turn: Turn) throws(Failure) -> Int {
        guard case .resident(let place) = found, !scratch.effects.isEmpty else { return 0 }
        try readEffects(at: place, in: turn)
        return instances.residents[place].effects?.bytes ?? 0
    }

    /// A copy of the instance; for an absent one, its initial state.
    private mutating func copy(
        _ found: Lookup, _ definition: Definition, _ name: InstanceName, at now: Timestamp
    ) throws(Failure) -> Trial {
        guard case .resident(let place) = found else {
            if definition.machine.soleStarter != nil { try requireOpen(name.machine) }
            do {
                let fresh = try freshInstance(name, definition, at: now)
                return Trial(
                    machine: fresh, isDone: fresh.isTerminal, effects: 0,
                    context: StepContext(limits: options.step, time: now.milliseconds))
            } catch {
                throw Failure(error, state: [], event: [])
            }
        }
        let stored = instances.residents[place].stored
        let context = context(of: stored, at: now)
        if let machine = instances.residents[place].machine {
            return Trial(
                machine: machine, isDone: stored.isDone, effects: stored.effectCount,
                context: context)
        }
        let own = try self.definition(of: stored)
        do {
            let machine = try own.machine.restoreInstance(
                stored.identity, state: stored.state, from: stored.definitionVersion)
            return Trial(
                machine: machine, isDone: stored.isDone, effects: stored.effectCount,
                context: context)
        } catch {
            throw Failure(error, state: [], event: [])
        }
    }
}
