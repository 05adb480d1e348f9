import Transducers

/// Notes, where it outlives the process, for whom code of a machine is about to run. Swift can't
/// catch a trap: the next start reads what was noted last, and knows whose step it was
/// (docs/decisions/0041-machines-that-trap.md). Confined to one queue.
public protocol StepWitness: AnyObject {
    /// Code of a machine is about to run for an instance. Takes some nanoseconds; waits for
    /// nothing.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - effectNumber: The effect that it follows from; 0 where it is a request of a client.
    ///   - event: The event as JSON, or its begin; empty where it isn't known yet.
    func begin(_ name: InstanceName, effectNumber: Int64, event: UnsafeRawBufferPointer)

    /// No such code runs any more.
    func end()
}

extension Engine {
    /// For whom code of a machine runs.
    struct Witnessed {
        var name: InstanceName
        var effectNumber: Int64
    }

    /// Notes for whom code of a machine is about to run.
    ///
    /// - Returns: For whom it ran before, for ``unwitness(_:)``.
    mutating func witness(_ name: InstanceName, effectNumber: Int64? = nil, event: [UInt8] = [])
        -> Witnessed?
    {
        guard let witness = options.witness else { return nil }
        let outer = witnessed
        // What an effect's event leads to is the effect's as well.
        let effectNumber =
            effectNumber ?? outer.flatMap { $0.name == name ? $0.effectNumber : nil } ?? 0
        witnessed = Witnessed(name: name, effectNumber: effectNumber)
        event.withUnsafeBytes { witness.begin(name, effectNumber: effectNumber, event: $0) }
        return outer
    }

    /// Notes that the code which ran last is over.
    mutating func unwitness(_ outer: Witnessed?) {
        guard let witness = options.witness else { return }
        witnessed = outer
        if let outer {
            witness.begin(
                outer.name, effectNumber: outer.effectNumber,
                event: UnsafeRawBufferPointer(start: nil, count: 0))
        } else {
            witness.end()
        }
    }
}

extension Engine {
    /// Sets aside an instance, or a machine, whose steps have ended the process: part of the next
    /// commit. For the start of a server, before anything else. What an operator has suspended
    /// stays suspended, and is treated with the same care.
    public mutating func setAside(
        _ subject: HoldSubject, reason: String, definitionVersion: String, at now: Timestamp,
        store: any Store
    ) {
        let turn = Turn(now: now, store: store)
        let former = holds[subject]
        let hold = Hold(
            kind: former?.kind ?? .setAside, since: former?.since ?? now,
            reason: reason.prefixOfBytes(Limits.effectReasonBytesMax),
            definitionVersion: definitionVersion)
        begin(hold, on: subject, in: turn)
    }

    /// The same until the process ends, where there is no room on the disk for it.
    public mutating func setAsideForNow(
        _ subject: HoldSubject, reason: String, definitionVersion: String, at now: Timestamp
    ) {
        let hold = Hold(
            kind: .setAside, since: now,
            reason: reason.prefixOfBytes(Limits.effectReasonBytesMax),
            definitionVersion: definitionVersion)
        holds.set(hold, on: subject)
        holds.endBatch()
    }

    /// Lets go what was set aside of machines that have another version now: part of the next
    /// commit.
    ///
    /// - Returns: Who was let go.
    public mutating func letGoOutdated(
        at now: Timestamp, store: any Store
    ) -> [HoldSubject] {
        let turn = Turn(now: now, store: store)
        let outdated = holds.trapped.filter { subject, hold in
            hold.kind == .setAside
                && catalogue[subject.machine].map { $0.version != hold.definitionVersion } ?? false
        }
        for (subject, _) in outdated { _ = letGo(subject, in: turn) }
        return outdated.map(\.subject)
    }

    /// How often something was held or let go: ``setAside`` is another one only when this is.
    public var holdChanges: Int { holds.changes }

    /// For whom no code of a machine is to run, as of the last commit and what was taken since:
    /// what was set aside, also if an operator has suspended it since.
    public var trapped: [HoldSubject] { holds.trapped.map(\.subject) }

    /// What is set aside, as of the last commit and what was taken since.
    public var setAside: [HoldSubject] {
        holds.trapped.filter { $0.hold.kind == .setAside }.map(\.subject)
    }
}
