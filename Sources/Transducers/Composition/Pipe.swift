/// Sends the outputs of one machine as events to another one that runs elsewhere.
///
///     try await Lexer.run(
///         initialState: .init(), proxy: lexer,
///         output: Pipe(to: parser.input) { token in token.map { .take($0) } })
///
/// The sender waits until the receiver has room (``Proxy``), or has processed the event
/// (``SyncSuspendingProxy``), so it can't be faster. Machines that are piped in a circle can wait
/// for each other forever: make the buffers large enough, or break the circle with an effect.
///
/// When the receiver has ended, the sender ends too, with ``PipeError/receiverEnded``, unless
/// `whenReceiverEnds` says otherwise. A refused event is counted in the receiver's ``RunReport``
/// (``Proxy``), or ends the sender with ``PipeError/refused(_:)`` (``SyncSuspendingProxy``).
public struct Pipe<Value>: Subject, Sendable {
    /// The effect of the receiver's end on the sender.
    public enum ReceiverEnd: Sendable, Equatable {
        /// Its run throws ``PipeError/receiverEnded``.
        case endsSender
        /// It continues, and its outputs are dropped.
        case dropsOutputs
    }

    private let deliver: @Sendable (sending Value) async throws -> Void
    private let whenReceiverEnds: ReceiverEnd

    /// A pipe to a machine whose senders wait for room.
    ///
    /// - Parameters:
    ///   - input: The receiver.
    ///   - whenReceiverEnds: The effect of the receiver's end.
    ///   - map: Returns the event for an output; `nil` for none.
    public init<Event>(
        to input: Proxy<Event>.Input, whenReceiverEnds: ReceiverEnd = .endsSender,
        _ map: @escaping @Sendable (sending Value) -> sending Event?
    ) {
        self.whenReceiverEnds = whenReceiverEnds
        deliver = { value in
            if let event = map(value) { try await input.enqueue(event) }
        }
    }

    /// A pipe to a machine whose senders wait until their event has been processed.
    ///
    /// - Parameters:
    ///   - input: The receiver.
    ///   - whenReceiverEnds: The effect of the receiver's end.
    ///   - map: Returns the event for an output; `nil` for none.
    public init<Event: Sendable>(
        to input: SyncSuspendingProxy<Event>.Input,
        whenReceiverEnds: ReceiverEnd = .endsSender,
        _ map: @escaping @Sendable (sending Value) -> Event?
    ) {
        self.whenReceiverEnds = whenReceiverEnds
        deliver = { value in
            guard let event = map(value) else { return }
            switch await input.send(event) {
            case .applied, .queued: return
            case .refused(let rejection): throw PipeError.refused(rejection.reason)
            case .failed(let reason): throw PipeError.refused(reason)
            case .notApplied(let error): throw error
            }
        }
    }

    /// Sends one output, and waits for the receiver.
    ///
    /// - Throws: ``PipeError``; ``TransducerError/cancelled`` when the task was canceled while it
    ///   waited; other ``TransducerError``s that prevented the receiver from applying the event.
    public func send(_ value: sending Value, isolated: isolated any Actor) async throws {
        do {
            try await deliver(value)
        } catch let error as TransducerError {
            let isReceiverGone = error == .ended || (error == .cancelled && !Task.isCancelled)
            guard isReceiverGone else { throw error }
            if whenReceiverEnds == .endsSender { throw PipeError.receiverEnded }
        }
    }
}

extension Pipe {
    /// A pipe of unchanged outputs to a machine whose senders wait for room.
    public init(
        to input: Proxy<Value>.Input, whenReceiverEnds: ReceiverEnd = .endsSender
    ) {
        self.init(to: input, whenReceiverEnds: whenReceiverEnds) { $0 }
    }

    /// A pipe of unchanged outputs to a machine whose senders wait until their event has been
    /// processed.
    public init(
        to input: SyncSuspendingProxy<Value>.Input, whenReceiverEnds: ReceiverEnd = .endsSender
    ) where Value: Sendable {
        self.init(to: input, whenReceiverEnds: whenReceiverEnds) { $0 }
    }
}

/// The reason for which a pipe ended its sender.
public enum PipeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The receiver has ended.
    case receiverEnded
    /// The receiver refused an event, or failed with it, for this reason.
    case refused(String)

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .receiverEnded:
            "the machine at the other end of the pipe has ended: end the sender first, or make "
                + "the pipe with whenReceiverEnds: .dropsOutputs"
        case .refused(let reason):
            "the machine at the other end of the pipe refused an event (\(reason)): have the "
                + "pipe's closure give nil for outputs that it doesn't take"
        }
    }
}
