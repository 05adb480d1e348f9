public import CEL

/// A request of a step to its host. The host executes requests in order.
public enum ChartRequest: Sendable {
    /// The recipient of an event.
    public enum Target: Hashable, Sendable {
        /// The instance's own inbox.
        case own
        /// The machine that invoked the instance.
        case parent
        /// The machine of an invocation of the instance.
        case child(id: String, serial: Int64)
        /// An instance by its address.
        case address(String)
    }

    /// Emits an output: a map with `type` as the first member.
    case emit(type: String, CELMap)
    /// Writes to the log.
    case log(label: String?, CELValue)
    /// Sends an event after a delay of milliseconds; 0 for at once. `origin` is for the host to
    /// fill in. A delayed send can be canceled by the event's `send` until it is due.
    case send(ChartEvent, to: Target, milliseconds: Int64)
    /// Cancels the delayed sends with an id.
    case cancel(id: String)
    /// Starts a timer of a state: after these milliseconds the host applies
    /// ``ChartEvent/init(timer:)``.
    case startTimer(ChartEvent.TimerID, milliseconds: Int64)
    /// Cancels the timers of a state.
    case cancelTimers(state: Int32)
    /// Starts an invocation.
    case invoke(ChartInvocation)
    /// Stops an invocation: the child's exit actions run, and nothing that it sends arrives.
    case stopInvocation(id: String, serial: Int64)
    /// Hands an external event on to an invocation, unchanged.
    case forward(ChartEvent, id: String, serial: Int64)
    /// The instance is finished: its timers, delayed sends and invocations end. The last request.
    case finish(output: CELValue)
}
