import OrderedJSON

/// A machine without its types, as a server runs it. States and events stay typed values in
/// memory; only stored and sent values are JSON.
public protocol HostedMachine: Sendable {
    /// Decodes an event in a client's line.
    ///
    /// - Throws: ``EventError`` with the JSON path of the problem.
    func decodeEvent(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> any HostedEvent

    /// Decodes a stored event, which may be of an earlier version.
    ///
    /// - Throws: ``EventError`` if the machine has no such event any more.
    func decodeEvent(_ value: JSONValue) throws(EventError) -> any HostedEvent

    /// Decodes an event that an instance sends.
    ///
    /// - Throws: ``EventError`` if the machine has no such event.
    func decodeEvent(
        _ value: JSONValue, from origin: EventOrigin
    ) throws(EventError) -> any HostedEvent

    /// Whether a new instance may have an input.
    var takesInput: Bool { get }

    /// The name of the machine whose instances alone start instances of this one; `nil` if
    /// everybody may.
    var soleStarter: String? { get }

    /// Creates an instance in its initial state.
    ///
    /// - Parameters:
    ///   - input: The input; `nil` for none. Only if the machine takes one.
    ///   - context: The surroundings of the creation.
    ///   - work: What the start has computed is added, also that of one that fails, in the units of
    ///     ``StepBuffer/work``.
    func makeInstance(
        _ identity: InstanceIdentity, input: JSONValue?, in context: StepContext,
        work: inout Int
    ) throws(StepFailure) -> any HostedInstance

    /// Creates an instance in a stored state.
    ///
    /// - Parameters:
    ///   - state: The state as JSON.
    ///   - version: The version of the definition that stored it; `nil` if no server stored it:
    ///     then missing members aren't filled in.
    /// - Throws: ``StepFailure/evaluation(_:)`` if it is no state of this machine.
    func restoreInstance(
        _ identity: InstanceIdentity, state: [UInt8], from version: String?
    ) throws(StepFailure) -> any HostedInstance

    /// Converts an instance of another version of a machine as data, and writes its state and what
    /// the change asks for.
    ///
    /// - Parameters:
    ///   - state: The state of the former version.
    ///   - former: The machine of that version.
    ///   - plan: What changes; `nil` for what the definition says.
    /// - Throws: ``StepFailure``, if it can't be converted.
    func migrate(
        _ identity: InstanceIdentity, state: [UInt8], of former: any HostedMachine,
        plan: JSONValue?, in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) -> any HostedInstance

    /// The former states in the plan of a migration that this version, from which it leads, doesn't
    /// have: misspelled, or of another version.
    func unknownStates(in plan: JSONValue) -> [String]

    /// Creates an instance in the state that stands for one of another version, to compare the
    /// two. No effect of the change counts, and the instance may be done.
    ///
    /// - Parameters:
    ///   - state: The state as JSON.
    ///   - version: The version of the definition that stored it.
    ///   - former: The machine of that version; `nil` if it isn't known, or is this one.
    /// - Throws: ``StepFailure/evaluation(_:)`` if no state stands for it.
    func counterpart(
        _ identity: InstanceIdentity, state: [UInt8], from version: String,
        of former: (any HostedMachine)?, in context: StepContext
    ) throws(StepFailure) -> any HostedInstance

    /// Converts a stored event that can't be decoded.
    ///
    /// - Throws: ``EventError`` if the machine can't convert it.
    func migrate(event: JSONValue) throws(EventError) -> JSONValue

    /// The event that an effect's result becomes, or `nil` for none.
    ///
    /// - Parameters:
    ///   - key: The effect's name.
    ///   - then: The event's case that the effect names, if any.
    ///   - value: The result.
    /// - Throws: ``StepFailure/evaluation(_:)`` if it is no event of the machine.
    func event(
        ofResult value: JSONValue, key: HostedKey, then: String?
    ) throws(StepFailure) -> (any HostedEvent)?

    /// The event for an effect that has failed, or `nil` for none.
    ///
    /// - Parameter state: The stored state of its instance.
    func event(
        ofFailure reason: String, key: HostedKey, state: [UInt8]
    ) -> (any HostedEvent)?

    /// The event for an effect that has ended well, and whose event the machine couldn't apply; or
    /// `nil` for none: then the effect is kept as failed.
    ///
    /// - Parameters: As those of ``event(ofFailure:key:state:)``.
    func event(
        ofRefusal reason: String, key: HostedKey, state: [UInt8]
    ) -> (any HostedEvent)?

    /// Writes the effects that an instance asks for after its closures were lost.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` for effects that can't be stored.
    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure)
}

extension HostedMachine {
    /// False.
    public var takesInput: Bool { false }

    /// None: everybody may.
    public var soleStarter: String? { nil }

    /// None.
    public func event(
        ofRefusal reason: String, key: HostedKey, state: [UInt8]
    ) -> (any HostedEvent)? { nil }

    /// Creates an instance outside of a server, in its initial state.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)``.
    public func makeInstance() throws(StepFailure) -> any HostedInstance {
        try makeInstance(.unnamed, input: nil, in: StepContext(limits: .unbounded))
    }

    /// Creates an instance in its initial state, whatever that computes.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)``.
    public func makeInstance(
        _ identity: InstanceIdentity, input: JSONValue?, in context: StepContext
    ) throws(StepFailure) -> any HostedInstance {
        var work = 0
        return try makeInstance(identity, input: input, in: context, work: &work)
    }

    /// Creates an instance outside of a server, in a stored state.
    ///
    /// - Parameters:
    ///   - state: The state as JSON.
    ///   - version: The version of the definition that stored it; `nil` for a complete state.
    /// - Throws: ``StepFailure/evaluation(_:)`` if it is no state of this machine.
    public func restoreInstance(
        state: [UInt8], from version: String? = nil
    ) throws(StepFailure) -> any HostedInstance {
        try restoreInstance(.unnamed, state: state, from: version)
    }

    /// Decodes the event as a stored one: most machines don't ask who sent it.
    ///
    /// - Throws: ``EventError`` if the machine has no such event.
    public func decodeEvent(
        _ value: JSONValue, from origin: EventOrigin
    ) throws(EventError) -> any HostedEvent {
        try decodeEvent(value)
    }

    /// Refuses: a compiled machine converts states when it reads them.
    public func migrate(
        _ identity: InstanceIdentity, state: [UInt8], of former: any HostedMachine,
        plan: JSONValue?, in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) -> any HostedInstance {
        throw .evaluation("a compiled machine converts states of earlier versions by itself")
    }

    /// None: a compiled machine has no such plan.
    public func unknownStates(in plan: JSONValue) -> [String] { [] }

    /// Restores the instance: a compiled machine converts states of earlier versions by itself.
    public func counterpart(
        _ identity: InstanceIdentity, state: [UInt8], from version: String,
        of former: (any HostedMachine)?, in context: StepContext
    ) throws(StepFailure) -> any HostedInstance {
        try restoreInstance(identity, state: state, from: version)
    }

    /// Returns the event unchanged.
    public func migrate(event: JSONValue) throws(EventError) -> JSONValue { event }

    /// Decodes a stored event, which may be of an earlier version.
    ///
    /// - Throws: ``EventError`` if the machine has no such event any more.
    public func decodeEvent(_ value: JSONValue) throws(EventError) -> any HostedEvent {
        do throws(EventError) {
            return try read(value)
        } catch {
            let migrated = try migrate(event: value)
            guard migrated != value else { throw error }
            return try read(migrated)
        }
    }

    private func read(_ value: JSONValue) throws(EventError) -> any HostedEvent {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: value.serialized(), limits: .stored)
        } catch {
            throw EventError(path: "$", message: "\(error)", expected: nil)
        }
        return try decodeEvent(document, at: document.root)
    }
}
