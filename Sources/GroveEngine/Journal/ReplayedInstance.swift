import OrderedJSON
import Transducers

/// An instance to which a machine applies the journal's events again.
struct ReplayedInstance {
    let identity: InstanceIdentity
    /// The instance as the machine has made it.
    var machine: any HostedInstance
    /// The state in the journal.
    var state: [UInt8]
    /// The version of the definition that stored the state.
    var version: String

    /// An instance in any state beside a stored one.
    init(
        _ identity: InstanceIdentity, _ machine: any HostedInstance, state: [UInt8],
        from version: String
    ) {
        self.identity = identity
        self.machine = machine
        self.state = state
        self.version = version
    }

    /// An instance in the state that stands for a stored one.
    init(
        _ identity: InstanceIdentity, _ tried: Definition, state: [UInt8], from version: String,
        of former: Definition?, in context: StepContext
    ) throws(StepFailure) {
        self.identity = identity
        self.state = state
        self.version = version
        machine = try Self.counterpart(
            identity, tried, state: state, from: version, of: former, in: context)
    }

    /// The instance of a machine that stands for a stored state.
    private static func counterpart(
        _ identity: InstanceIdentity, _ tried: Definition, state: [UInt8], from version: String,
        of former: Definition?, in context: StepContext
    ) throws(StepFailure) -> any HostedInstance {
        // The same contents, perhaps read twice, have nothing to convert.
        let former = former?.hash == tried.hash ? nil : former
        return try tried.machine.counterpart(
            identity, state: state, from: version, of: former?.machine, in: context)
    }

    /// The present state, as the machine writes it.
    func written() throws(StepFailure) -> [UInt8] {
        var step = StepBuffer()
        try machine.describeInitial(into: &step)
        return step.state.bytes
    }

    /// Whether a state equals the journal's: it is the same text, or what the machine makes of that
    /// one.
    func isSame(
        _ written: [UInt8], to tried: Definition, of former: Definition?, in context: StepContext
    ) -> Bool {
        if written == state, tried.isFixed || version == tried.version { return true }
        // A state that can't be read is another one.
        var stored = self
        guard
            let machine = try? Self.counterpart(
                identity, tried, state: state, from: version, of: former, in: context)
        else { return false }
        stored.machine = machine
        return (try? stored.written()) == written
    }

    /// Applies a stored event.
    ///
    /// - Returns: What prevents it, and the machine's reason; `nil` when it was applied, and
    ///   `step` has the result.
    mutating func apply(
        _ text: [UInt8], by tried: any HostedMachine, in context: StepContext,
        into step: inout StepBuffer
    ) -> (what: String, reason: String?)? {
        guard !machine.isTerminal else {
            return ("the event is refused", "the instance is done already")
        }
        let event: any HostedEvent
        do {
            event = try Self.decode(text, by: tried)
        } catch {
            return ("the event can't be read", (error as? EventError)?.message)
        }
        step.removeAll()
        do throws(StepFailure) {
            try machine.apply(event, in: context, into: &step)
            return nil
        } catch .rejected(let rejection) {
            return ("the event is refused", rejection.reason)
        } catch {
            return ("the event is refused", error.reason)
        }
    }

    private static func decode(
        _ text: [UInt8], by tried: any HostedMachine
    ) throws -> any HostedEvent {
        let document = try JSONDocument(parsing: text, limits: .stored)
        do {
            return try tried.decodeEvent(document, at: document.root)
        } catch {
            // The machine may say what becomes of it.
            return try tried.decodeEvent(try JSONValue(parsing: text, limits: .stored))
        }
    }
}
