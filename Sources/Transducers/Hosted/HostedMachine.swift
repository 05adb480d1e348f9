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

    /// Creates an instance in its initial state.
    func makeInstance() throws(StepFailure) -> any HostedInstance

    /// Creates an instance in a stored state.
    ///
    /// - Parameters:
    ///   - state: The state as JSON.
    ///   - version: The version of the definition that stored it; `nil` if no server stored it:
    ///     then missing members aren't filled in.
    /// - Throws: ``StepFailure/evaluation(_:)`` if it is no state of this machine.
    func restoreInstance(
        state: [UInt8], from version: String?
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
    func event(ofFailure reason: String, key: HostedKey) -> (any HostedEvent)?

    /// Writes the effects that an instance asks for after its closures were lost.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` for effects that can't be stored.
    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure)
}

extension HostedMachine {
    /// Creates an instance in a complete state.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` if it is no state of this machine.
    public func restoreInstance(state: [UInt8]) throws(StepFailure) -> any HostedInstance {
        try restoreInstance(state: state, from: nil)
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
