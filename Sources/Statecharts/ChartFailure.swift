/// The reason why an event wasn't applied. The state is unchanged.
public struct ChartFailure: Error, Hashable, Sendable {
    /// The code, as clients see it.
    public enum Code: String, Hashable, Sendable {
        /// An event caused too many microsteps, internal events or actions.
        case stepLimit = "STEP_LIMIT"
        /// The expressions of an event took too many steps, or one made too large a value; or an
        /// instance defers, remembers or counts too much.
        case evalLimit = "EVAL_LIMIT"
        /// The context has too many bytes.
        case stateTooLarge = "STATE_TOO_LARGE"
        /// A guard or an action failed.
        case evalError = "EVAL_ERROR"
        /// No transition takes the event, and the chart is strict or can't defer more events.
        case eventRejected = "EVENT_REJECTED"
    }

    /// The code.
    public let code: Code
    /// One sentence.
    public let message: String
    /// The JSON path of the guard or action in the definition, if there is one.
    public let path: String?
    /// The id of the send that failed.
    var sendID: String?
    /// The bytes that a state would have had, about; nil for other failures.
    var stateBytes: Int?
    /// What the step has cost until then, as ``ChartStep/work``.
    var work = 0

    init(_ code: Code, _ message: String, at path: String? = nil) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// The failure of a step that has cost this much.
    func after(_ work: Int) -> ChartFailure {
        var failure = self
        failure.work = work
        return failure
    }

    /// Whether the error mode of SCXML turns it into an event.
    var isRecoverable: Bool { code == .evalError }
}
