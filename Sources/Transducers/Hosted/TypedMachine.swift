import OrderedJSON

/// The erased face of a Swift transducer.
///
/// What a step does is handed in as one closure, made where the definition is: there the
/// compiler knows the concrete types and specialises it (see `Definition+Typed.swift`).
final class TypedMachine<Machine: RunnableTransducer & InitialState & SendableMetatype>:
    HostedMachine
where
    Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
    Machine.Output: Sendable
{
    /// Applies an event with all that it causes and describes the outcome; throws nothing but
    /// ``StepFailure``, and then the state's value does not matter.
    typealias Apply =
        @Sendable (
            inout Machine.State, any HostedEvent, StepLimits, inout StepBuffer
        ) throws(StepFailure) -> Void

    /// Describes a new instance.
    typealias Describe =
        @Sendable (Machine.State, inout StepBuffer) throws(StepFailure) -> Void

    let apply: Apply
    let describeInitial: Describe
    let env: HostedEnv<Machine.Env>?
    /// The answer to an event of an unknown name: the events there are.
    let eventsText: String?
    /// The version of the definition.
    let version: String

    init(
        version: String, env: HostedEnv<Machine.Env>?, eventsText: String?, apply: @escaping Apply,
        describeInitial: @escaping Describe
    ) {
        self.version = version
        self.env = env
        self.eventsText = eventsText
        self.apply = apply
        self.describeInitial = describeInitial
    }

    func decodeEvent(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> any HostedEvent {
        do {
            return TypedEvent(
                try JSONCoding.decode(Machine.Event.self, from: document, at: node))
        } catch {
            let isUnknown = error.expected == "a case of \(Machine.Event.self)"
            throw EventError(
                path: error.path, message: error.message,
                expected: isUnknown ? eventsText ?? error.expected : error.expected)
        }
    }

    func makeInstance(
        _ identity: InstanceIdentity, input: JSONValue?, in context: StepContext,
        work: inout Int
    ) throws(StepFailure) -> any HostedInstance {
        TypedInstance(machine: self, state: Machine.initialState)
    }

    func restoreInstance(
        _ identity: InstanceIdentity, state: [UInt8], from stored: String?
    ) throws(StepFailure) -> any HostedInstance {
        let state = try StoredState<Machine>.read(state, from: stored, by: version)
        return TypedInstance(machine: self, state: state)
    }

    func migrate(event: JSONValue) throws(EventError) -> JSONValue {
        do {
            return try Machine.migrate(event: event)
        } catch {
            throw EventError(path: "$", message: "it can't be migrated: \(error)", expected: nil)
        }
    }

    func event(
        ofResult value: JSONValue, key: HostedKey, then: String?
    ) throws(StepFailure) -> (any HostedEvent)? {
        let result = EffectResult(id: key.effectKey, then: then, value: value)
        do {
            return try Machine.effectResult(result).map { TypedEvent($0) }
        } catch let error as JSONDecodingError {
            throw .evaluation("the result is no event of this machine: \(error)")
        } catch {
            // The machine's own words.
            throw .evaluation("\(error)")
        }
    }

    func event(
        ofFailure reason: String, key: HostedKey, state: [UInt8]
    ) -> (any HostedEvent)? {
        let failure = EffectFailure(
            id: key.effectKey, error: HostedEffectError(reason: reason))
        return Machine.effectFailed(failure).map { TypedEvent($0) }
    }

    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure) {
        guard let instance = instance as? TypedInstance<Machine> else {
            preconditionFailure("an instance is resumed only by the machine that made it")
        }
        guard let effect = Machine.resume(instance.state) else { return }
        try TypedStep.write(effects: [effect.node], env: env, into: &step)
    }
}

/// An instance of a Swift transducer: its typed state.
struct TypedInstance<Machine: RunnableTransducer & InitialState & SendableMetatype>: HostedInstance
where
    Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
    Machine.Output: Sendable
{
    let machine: TypedMachine<Machine>
    var state: Machine.State

    var isTerminal: Bool { state.isTerminal }

    func describeInitial(into step: inout StepBuffer) throws(StepFailure) {
        try machine.describeInitial(state, &step)
    }

    mutating func apply(
        _ event: any HostedEvent, in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) {
        var candidate = state
        try machine.apply(&candidate, event, context.limits, &step)
        state = candidate
    }
}
