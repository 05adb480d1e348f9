import CEL

/// Which timers and invocations of a former version stand for which of the new one.
///
/// A timer stands for the one with the same delay, and of the rest the first one for the first one,
/// and so on. An invocation stands for the one with its id, where an id that was made from the name
/// of the state follows that; one whose id is made must also have the same source.
struct MigratedWork {
    /// The timers of the new version by those of the former one, and nil for those that end. Only
    /// of states that were active.
    private(set) var timers: [(former: ChartEvent.TimerID, own: ChartEvent.TimerID?)] = []
    /// The plans of the new version by those of the former one. Only of states that stay active.
    private(set) var plans: [Int32: Int32] = [:]

    private var keptTimers: Set<ChartEvent.TimerID> = []
    private var keptPlans: Set<Int32> = []

    /// Finds what continues.
    ///
    /// - Parameter configuration: The active states of the new version.
    init(
        _ state: ChartState, of former: Chart, to chart: Chart, _ configuration: [Int32],
        by migration: ChartMigration
    ) {
        let staying = Set(configuration)
        for active in state.configuration {
            let own = chart.counterpart(of: active, in: former, migration).flatMap {
                staying.contains($0) ? $0 : nil
            }
            matchTimers(of: active, former, own, chart)
            if let own { matchPlans(of: active, former, own, chart) }
        }
    }

    /// Whether a timer of the new version was one of the former version.
    func hasTimer(_ timer: ChartEvent.TimerID) -> Bool { keptTimers.contains(timer) }

    /// Whether a plan of the new version was one of the former version.
    func hasPlan(_ plan: Int32) -> Bool { keptPlans.contains(plan) }

    private mutating func matchTimers(
        of active: Int32, _ former: Chart, _ own: Int32?, _ chart: Chart
    ) {
        let olds = former.states[Int(active)].timers
        let news = own.map { own in
            chart.states[Int(own)].timers.indices.map {
                ChartEvent.TimerID(state: own, position: Int32($0))
            }
        }
        // The last one of each list is the next one to take.
        var free: [Delay: [ChartEvent.TimerID]] = [:]
        for timer in (news ?? []).reversed() where !hasTimer(timer) {
            let delay = chart.states[Int(timer.state)].timers[Int(timer.position)].delay
            free[Delay(delay), default: []].append(timer)
        }
        var found: [ChartEvent.TimerID?] = []
        for old in olds {
            let match = free[Delay(old.delay)]?.popLast()
            if let match { keptTimers.insert(match) }
            found.append(match)
        }
        var rest = (news ?? []).filter { !hasTimer($0) }[...]
        for (index, match) in found.enumerated() {
            let own = match ?? rest.popFirst()
            if let own { keptTimers.insert(own) }
            let old = ChartEvent.TimerID(state: active, position: Int32(index))
            timers.append((former: old, own: own))
        }
    }

    private mutating func matchPlans(
        of active: Int32, _ former: Chart, _ own: Int32, _ chart: Chart
    ) {
        let (old, new) = (former.states[Int(active)], chart.states[Int(own)])
        var named: [String: Int32] = [:]
        for number in new.invocations {
            let id = chart.invocations[Int(number)].fixedID(in: new)
            if let id, named[id] == nil { named[id] = number }
        }
        for number in old.invocations {
            let plan = former.invocations[Int(number)]
            // Made ids follow the name of the state, and computed ones have only their place.
            let isPlaced = !plan.hasGivenID || plan.fixedID(in: old) == nil
            let placed =
                isPlaced && plan.position < new.invocations.count
                ? new.invocations[plan.position] : nil
            let candidates = [placed, plan.fixedID(in: old).flatMap { named[$0] }]
            let match = candidates.compactMap(\.self).first {
                !hasPlan($0) && plan.goesOn(in: old, as: chart.invocations[Int($0)], in: new)
            }
            guard let match else { continue }
            plans[number] = match
            keptPlans.insert(match)
        }
    }

    /// A delay as it is written: constants of the same length are the same.
    private enum Delay: Hashable {
        case constant(Int64?)
        case computed(String)

        init(_ literal: Literal) {
            switch literal {
            case .constant(let value): self = .constant(ContextValue.milliseconds(value))
            case .computed(let expression): self = .computed(expression.text)
            }
        }
    }
}

extension InvokePlan {
    /// Whether an invocation of a state continues as one of that state's counterpart, which has its
    /// id, or its place without an id that can be known.
    fileprivate func goesOn(
        in state: StateNode, as other: InvokePlan, in counterpart: StateNode
    ) -> Bool {
        switch (hasGivenID, other.hasGivenID) {
        case (true, true):
            let (id, otherID) = (fixedID(in: state), other.fixedID(in: counterpart))
            return id == otherID && (id != nil || source.isLike(other.source))
        case (false, false): return position == other.position && source.isLike(other.source)
        case (true, false), (false, true):
            return fixedID(in: state) == other.fixedID(in: counterpart)
                && source.isLike(other.source)
        }
    }

    fileprivate var hasGivenID: Bool { if case .given? = id { true } else { false } }
}

extension InvokePlan.Source {
    /// Whether it asks for the same kind of work.
    fileprivate func isLike(_ other: InvokePlan.Source) -> Bool {
        switch (self, other) {
        case (.http, .http), (.chart, .chart), (.definition, .definition), (.computed, .computed):
            true
        case (.machine(let one), .machine(let two)), (.handler(let one), .handler(let two)):
            one == two
        default: false
        }
    }
}
