import Transducers

extension Engine {
    /// `suspend`. One that is set aside is the operator's from then on: another version of its
    /// machine doesn't let it go.
    mutating func suspend(_ subject: HoldSubject, reason: String?, in turn: Turn) -> Reply {
        do throws(Failure) {
            let version = try holdable(subject, in: turn)
            if holds[subject]?.kind == .suspended {
                return .held(version: version, changed: false, cursor: Cursor(sequence: head))
            }
            let former = holds[subject]
            guard former != nil || holds.count < Limits.holdsMax else {
                throw Failure.limit(
                    "a server holds \(Limits.holdsMax) instances and machines: suspend a machine")
            }
            var hold = Hold(
                kind: .suspended, since: turn.now,
                reason: reason?.prefixOfBytes(Limits.effectReasonBytesMax) ?? former?.reason)
            hold.definitionVersion = former?.definitionVersion ?? ""
            begin(hold, on: subject, in: turn)
            return .held(version: version, changed: true, cursor: Cursor(sequence: head))
        } catch {
            return .failure(error)
        }
    }

    /// Checks that the subject of a hold exists.
    ///
    /// - Returns: The version of an instance.
    mutating func holdable(
        _ subject: HoldSubject, isBeginning: Bool = true, in turn: Turn
    ) throws(Failure) -> Int64? {
        batch.rely(on: holds.isPending(subject))
        switch subject {
        case .machine(let machine):
            guard catalogue[machine] != nil else { throw .noSuchMachine(machine) }
            return nil
        case .instance(let name):
            let found = try find(name, in: turn)
            let stored = try self.stored(found, name: name)
            if isBeginning, stored.isDone { throw .instanceDone(name, version: stored.version) }
            return stored.version
        }
    }
}
