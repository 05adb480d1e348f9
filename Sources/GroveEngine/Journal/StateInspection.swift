import OrderedJSON
import Transducers

/// Checks whether the present machines can decode the stored states: some instances of each
/// machine, in turns of about a millisecond, so that a start isn't delayed.
///
/// Machines and instances are checked in the order of their names. Done instances are skipped
/// because no event needs their states any more, and set-aside ones because decoding them may end
/// the process.
public struct StateInspection: Sendable {
    /// A machine that can't decode all of its checked states.
    public struct Finding: Sendable, Equatable {
        public let machine: String
        /// Instances that were checked.
        public let looked: Int
        /// Instances whose states can't be decoded.
        public let unreadable: Int
        public let instance: InstanceName
        public let version: String
        public let reason: String
    }

    private let catalogue: Catalogue
    private var definitions: ArraySlice<Definition>
    private let witness: (any StepWitness & Sendable)?
    private let setAside: Set<HoldSubject>
    private var after: String?
    private var looked = 0
    private var rows = 0
    private var bytes = 0
    private var unreadable: [(name: InstanceName, version: String, reason: String)] = []
    private var unreadableCount = 0

    /// Creates an inspection of all hosted machines that aren't set aside.
    init(
        _ catalogue: Catalogue, witness: (any StepWitness & Sendable)? = nil,
        setAside: Set<HoldSubject> = []
    ) {
        definitions = catalogue.all.filter { !setAside.contains(.machine($0.name)) }[...]
        self.catalogue = catalogue
        self.witness = witness
        self.setAside = setAside
    }

    /// Runs one turn.
    ///
    /// - Returns: The finding of a machine that the turn has finished, and whether more is left.
    /// - Throws: As the store.
    public mutating func turn(
        store: any Store
    ) throws(StoreError) -> (finding: Finding?, hasMore: Bool) {
        guard let definition = definitions.first else { return (nil, false) }
        let page = try store.instances(
            prefix: definition.name + "/", after: after, limit: Limits.inspectedInstancesPerTurn,
            bytes: Limits.rowBytesPerRead)
        for stored in page {
            after = stored.name.text
            rows += 1
            bytes += stored.state.count
            let isSetAside = !setAside.isEmpty && setAside.contains(.instance(stored.name))
            if !stored.isDone, !isSetAside { check(stored, definition) }
        }
        // A page may end early, for its bytes.
        let isOver =
            page.isEmpty || rows >= Limits.inspectedInstancesMax
            || bytes >= Limits.inspectedBytesMax
        guard isOver else { return (nil, true) }
        let finding = unreadable.first.map {
            Finding(
                machine: definition.name, looked: looked, unreadable: unreadableCount,
                instance: $0.name, version: $0.version, reason: $0.reason)
        }
        definitions.removeFirst()
        after = nil
        (looked, rows, bytes, unreadableCount) = (0, 0, 0, 0)
        unreadable = []
        return (finding, !definitions.isEmpty)
    }

    private mutating func check(_ stored: StoredInstance, _ definition: Definition) {
        looked += 1
        witness?.begin(
            stored.name, effectNumber: 0, event: UnsafeRawBufferPointer(start: nil, count: 0))
        defer { witness?.end() }
        do throws(StepFailure) {
            _ = try (catalogue.definition(of: stored) ?? definition).machine.restoreInstance(
                stored.identity, state: stored.state, from: stored.definitionVersion)
        } catch {
            unreadableCount += 1
            guard unreadable.isEmpty else { return }
            unreadable = [(stored.name, stored.definitionVersion, error.reason)]
        }
    }
}

extension Engine {
    public func inspection() -> StateInspection {
        StateInspection(catalogue, witness: options.witness, setAside: Set(trapped))
    }
}

extension Replay {
    /// Checks whether the present machine can decode a stored state; returns the divergence if it
    /// can't.
    public func check(_ stored: StoredInstance) -> Divergence? {
        guard !stored.isDone, let machine = definition(of: stored)?.machine else { return nil }
        do throws(StepFailure) {
            _ = try machine.restoreInstance(
                stored.identity, state: stored.state, from: stored.definitionVersion)
            return nil
        } catch {
            return Divergence(
                sequence: stored.newest, instance: stored.name, version: stored.version,
                what: "the state can't be read: \(error.reason)")
        }
    }

    /// Checks whether the present machine can decode the event of an effect; returns the divergence
    /// if it can't. `owner` is the effect's instance.
    public func check(_ row: StoredEffect, of owner: StoredInstance) -> Divergence? {
        let held: (machine: String, event: JSONValue)? =
            switch row.body.run?.work {
            case .after(_, let event): (owner.name.machine, event)
            case .send(let target, let event, _):
                InstanceName(target).map { ($0.machine, event) }
            // The context of a machine as data.
            case .start(let machine, _, _, _)
            where definition(named: machine)?.machine.takesInput == true: nil
            case .start(let machine, _, let input?, _): (machine, input)
            case .start, .perform, .ask, .compensate, .closure, nil: nil
            }
        guard !owner.isDone, let held,
            let machine = definition(ofEventFor: held.machine, owner)?.machine
        else { return nil }
        do throws(EventError) {
            _ = try machine.decodeEvent(held.event)
            return nil
        } catch {
            return Divergence(
                sequence: owner.newest, instance: owner.name, version: owner.version,
                what:
                    "the event that effect \(row.ref.number) holds can't be read: \(error.message)")
        }
    }
}
