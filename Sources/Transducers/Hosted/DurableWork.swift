import OrderedJSON

/// The work of an effect as data: what a server stores, and what survives a crash. In process it
/// has the machine's event and values that aren't encoded yet; in rows both are JSON
/// (``HostedRun/Work``).
public enum DurableWork<Event, Argument> {
    /// Applies the event after these milliseconds.
    case after(milliseconds: Int64, event: Event)
    /// Calls a handler.
    case perform(handler: String, argument: Argument)
    /// Sends an event to another instance, `machine/instance`, after these milliseconds.
    case send(to: String, event: Argument, milliseconds: Int64)
    /// Starts an instance of a machine. It is stopped with this one unless it is detached.
    case start(machine: String, instance: String?, input: Argument?, detached: Bool)
    /// Waits for an answer from outside, at most these milliseconds.
    case ask(milliseconds: Int64?)
    /// Undoes the completed effects that have an undo, the last one first.
    case compensate
    /// Runs the closure that the process knows by this token (``HostedClosures``).
    case closure(token: Int64)

    /// The same work with other types of event and argument.
    @inlinable
    func map<NewEvent, NewArgument, Failure>(
        event: (Event) throws(Failure) -> NewEvent,
        argument: (Argument) throws(Failure) -> NewArgument
    ) throws(Failure) -> DurableWork<NewEvent, NewArgument> {
        switch self {
        case .after(let delay, let old): return .after(milliseconds: delay, event: try event(old))
        case .perform(let handler, let value):
            return .perform(handler: handler, argument: try argument(value))
        case .send(let target, let value, let delay):
            return .send(to: target, event: try argument(value), milliseconds: delay)
        case .start(let machine, let instance, let value, let isDetached):
            var input: NewArgument?
            if let value { input = try argument(value) }
            return .start(
                machine: machine, instance: instance, input: input, detached: isDetached)
        case .ask(let expires): return .ask(milliseconds: expires)
        case .compensate: return .compensate
        case .closure(let token): return .closure(token: token)
        }
    }
}

extension DurableWork: Sendable where Event: Sendable, Argument: Sendable {}

// For JSON alone, so that rows are written by code for these types.
extension DurableWork: Hashable, Codable, Equatable
where Event == JSONValue, Argument == JSONValue {}
