public import CEL

/// The state of an instance of a chart.
public struct ChartState: Sendable {
    /// An invocation that runs.
    struct Invocation: Sendable, Equatable {
        let id: String
        /// The plan in the chart.
        let plan: Int32
        let serial: Int64
    }

    /// The states that a history state stands for.
    struct History: Sendable, Equatable {
        let state: Int32
        let recorded: [Int32]
    }

    /// The active states in document order.
    var configuration: [Int32] = []
    /// The context, as normalized values.
    public internal(set) var context = CELMap()
    /// The recorded histories, by the number of the history state.
    var histories: [History] = []
    /// The deferred events, oldest first.
    var deferred: [ChartEvent] = []
    /// The invocations that run, in the order of their start.
    var invocations: [Invocation] = []
    /// The ids and invocations made so far.
    var serial: Int64 = 0
    /// Whether a top-level final state was reached, or the instance was stopped.
    public internal(set) var isFinished = false

    /// The events that are kept until a state takes them.
    public var deferredCount: Int { deferred.count }

    init() {}

    func recorded(by history: Int32) -> [Int32]? {
        histories.first { $0.state == history }?.recorded
    }

    mutating func record(_ states: [Int32], by history: Int32) {
        let entry = History(state: history, recorded: states)
        if let index = histories.firstIndex(where: { $0.state >= history }) {
            if histories[index].state == history {
                histories[index] = entry
            } else {
                histories.insert(entry, at: index)
            }
        } else {
            histories.append(entry)
        }
    }

    func isActive(_ state: Int32) -> Bool { configuration.hasSorted(state) }

    mutating func activate(_ state: Int32) {
        let index = configuration.position(of: state)
        if index == configuration.count || configuration[index] != state {
            configuration.insert(state, at: index)
        }
    }

    mutating func deactivate(_ state: Int32) {
        let index = configuration.position(of: state)
        if index < configuration.count, configuration[index] == state {
            configuration.remove(at: index)
        }
    }
}

// Numbers of states in document order.
extension [Int32] {
    /// The position of the first one that isn't less than a number.
    func position(of state: Int32) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < state { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func hasSorted(_ state: Int32) -> Bool {
        let index = position(of: state)
        return index < count && self[index] == state
    }
}
