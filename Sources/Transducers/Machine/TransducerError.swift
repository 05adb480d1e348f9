/// The errors of a machine that runs in process, besides those of its `update` and effects. Each
/// has a remedy in its ``description``.
public enum TransducerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `run` was given a proxy that runs a machine, or has run one: a proxy has one life.
    case proxyAlreadyInUse
    /// `run` ended without an output to return: the initial state was terminal and there is no
    /// initial output.
    case noOutputProduced
    /// The run was ended by `cancel`.
    case cancelled
    /// The machine has ended and takes no more events.
    case ended
    /// The buffer is full. The event was refused; waiting ones stay.
    case bufferFull(capacity: Int)
    /// One external event caused more immediate events than a step may apply. All of it was
    /// refused; the state is unchanged.
    case immediateEventLimit(Int)
    /// The sending effect has been replaced or canceled, or its machine has ended: its events are
    /// dropped.
    case effectNotCurrent
    /// An output that isn't `Sendable` would have left the machine's actor.
    case outputLeavesActor
    /// A queue of effects is full.
    case effectQueueFull(capacity: Int)
    /// An effect calls an unknown handler.
    case noHandler(String)
    /// An attempt of an effect's handler took too long.
    case effectTimedOut(Duration)
    /// An effect needs other instances, or a store: it runs on a host only.
    case needsHost(String)

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .proxyAlreadyInUse:
            "the proxy is in use by a machine or has been: make a new one for each run"
        case .noOutputProduced:
            "the machine's initial state is terminal and it has no initial output: return one "
                + "from initialOutput(initialState:), or begin in a state that isn't terminal"
        case .cancelled:
            "the machine was cancelled"
        case .ended:
            "the machine has ended and takes no more events: run it anew with a new proxy"
        case .bufferFull(let capacity):
            "\(capacity) events wait already and this one was not taken: send it again later, "
                + "wait for room with enqueue, or make the buffer larger"
        case .immediateEventLimit(let limit):
            "the event caused more than \(limit) immediate events and was refused: look for "
                + "events that cause each other for ever, or raise immediateEventsMax"
        case .effectNotCurrent:
            "this run of the effect was replaced or cancelled, or its machine has ended: its "
                + "events don't count any more"
        case .outputLeavesActor:
            "the output isn't Sendable, so its callback has to be isolated to the actor that "
                + "run is called on: annotate the callback's closure, or make Output Sendable"
        case .effectQueueFull(let capacity):
            "\(capacity) effects wait in the queue already, and this one was dropped: start "
                + "fewer, or raise the queue's capacity"
        case .noHandler(let name):
            "there is no handler \"\(name)\": register it with the handlers that the machine runs "
                + "with"
        case .effectTimedOut(let time):
            "a try took longer than \(time) and was cancelled: give the effect a longer timeout, "
                + "or have its handler give up earlier"
        case .needsHost(let name):
            "\"\(name)\" works on a server only: run the machine there, or use an operation"
        }
    }
}
