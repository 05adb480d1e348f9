import OrderedJSON

/// A machine with its types erased to JSON: what a host needs to run instances of it.
///
/// States and events stay typed values in memory behind these protocols; JSON is made only for
/// what is stored and sent.
public protocol HostedMachine: Sendable {
    /// Reads an event as it stands in a client's line.
    ///
    /// - Throws: ``EventError`` with the JSON path of what doesn't fit.
    func decodeEvent(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> any HostedEvent

    /// A new instance in its initial state.
    func makeInstance() throws(StepFailure) -> any HostedInstance

    /// An instance in a state that was stored as JSON.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - version: The version of the definition that it was stored by; `nil` for a state that
    ///     wasn't stored by a server: no member is filled in.
    /// - Throws: ``StepFailure/evaluation(_:)`` when the stored state is none of this machine's.
    func restoreInstance(
        state: [UInt8], from version: String?
    ) throws(StepFailure) -> any HostedInstance

    /// A stored event that can't be read, in a form that may be.
    ///
    /// - Throws: ``EventError`` when the machine can't say.
    func migrate(event: JSONValue) throws(EventError) -> JSONValue

    /// The event that an effect's result becomes, or `nil` for none.
    ///
    /// - Parameters:
    ///   - key: The effect's name.
    ///   - then: The name of the event that the effect asked for.
    ///   - value: The result.
    /// - Throws: ``StepFailure/evaluation(_:)`` when it is none of the machine's events.
    func event(
        ofResult value: JSONValue, key: HostedKey, then: String?
    ) throws(StepFailure) -> (any HostedEvent)?

    /// The event that tells of an effect that failed for good, or `nil` for none.
    func event(ofFailure reason: String, key: HostedKey) -> (any HostedEvent)?

    /// Writes what an instance asks for whose closures are gone.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` for what can't be stored.
    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure)
}

extension HostedMachine {
    /// An instance in a state that is given whole, as JSON.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` when the stored state is none of this machine's.
    public func restoreInstance(state: [UInt8]) throws(StepFailure) -> any HostedInstance {
        try restoreInstance(state: state, from: nil)
    }

    /// The event as it is.
    public func migrate(event: JSONValue) throws(EventError) -> JSONValue { event }

    /// Reads an event that was stored, perhaps by an earlier version.
    ///
    /// - Throws: ``EventError``, when the machine has no such event any more.
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
