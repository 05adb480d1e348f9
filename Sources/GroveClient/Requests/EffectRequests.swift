import OrderedJSON

/// What an effect waits for.
public enum EffectPhase: String, Hashable, Sendable, CaseIterable {
    /// For its turn in a queue.
    case waiting
    /// For its time: a timer, or the pause before another try.
    case sleeping
    /// For its handler.
    case active
    /// For an answer from outside.
    case asking
    /// For the end of a child.
    case child
    /// For its result to be applied, which is there already.
    case delivering
    /// For nothing: it has failed for good and is kept to be looked at.
    case failed
    /// For nothing: it is completed and can be undone.
    case completed
}

/// Which effects of an instance are cancelled.
public enum CancelChoice: Hashable, Sendable {
    /// The one with this number.
    case effect(Int64)
    /// Those with this id, timers among them.
    case id(String)
    /// The timers with this id.
    case timer(String)
    /// All that follow from the event with this dedup key.
    case request(String)

    func add(to request: inout Request) {
        switch self {
        case .effect(let run): request.set("effect", .integer(run))
        case .id(let id): request.set("effect", .string(id))
        case .timer(let id): request.set("timer", .string(id))
        case .request(let key): request.set("request", .string(key))
        }
    }
}

/// What is waited for.
public enum AwaitCondition: Hashable, Sendable {
    /// That the instance is done.
    case done
    /// That it is in the state of this name; for machines whose states have names.
    case state(String)

    /// The condition as it stands in a request: `done`, or the name of a state.
    public init(_ text: String) { self = text == "done" ? .done : .state(text) }

    /// The condition as it stands in a request.
    public var text: String {
        switch self {
        case .done: "done"
        case .state(let name): name
        }
    }
}
