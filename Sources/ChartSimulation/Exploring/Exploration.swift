public import CEL
import OrderedJSON
public import Statecharts

/// Tries everything that can happen to a chart, breadth first: each event with examples of its
/// members, each timer, each answer and failure of a request. So the sequence of a finding is one
/// of the shortest.
///
/// Two states of the machine with the same active states, context, children and waiting timers
/// count as one. Events come at once or when something is due, and not between, unless
/// ``Options/waits`` has lengths of time to wait as well.
public struct Exploration {
    /// What is tried, and how far.
    public struct Options: Sendable {
        /// Further events, beside the examples from the declarations; they replace the examples
        /// of the same types.
        public var events: [ChartEvent] = []
        /// The answers to requests and handlers by their ids. Without, the answer is `null`, or for
        /// a request by HTTP an empty object with the status 200.
        public var answers: [String: [CELValue]] = [:]
        /// Milliseconds to wait in each state, beside the time until something is due.
        public var waits: [Int64] = []
        /// Conditions that must be true in each state.
        public var invariants: [ChartCondition] = []
        /// States of the machine that are visited; more end the exploration.
        public var statesMax = 10_000
        /// Commands of a sequence; nil for no bound.
        public var depthMax: Int?

        /// The standard.
        public init() {}
    }

    /// Something that is wrong in a state which can be reached.
    public struct Finding: Sendable {
        /// The kind of a finding.
        public enum Kind: String, Sendable {
            /// Nothing that was tried does anything any more, and the machine isn't done.
            case deadEnd = "dead end"
            /// A condition isn't true.
            case invariant = "invariant"
            /// A step fails.
            case failure = "failure"
            /// Machines cause events without end.
            case endless = "endless"
        }

        /// The kind.
        public let kind: Kind
        /// What it is about: active states, a condition, or a failure.
        public let text: String
        /// The commands of a simulation that lead to it.
        public let commands: [String]
    }

    /// What an exploration has found.
    public struct Report: Sendable {
        /// The states of the machine that were visited.
        public internal(set) var states = 0
        /// The commands that were tried.
        public internal(set) var steps = 0
        /// The longest sequence.
        public internal(set) var depth = 0
        /// Whether everything was visited that these events can reach, apart from ``untried``.
        public internal(set) var isComplete = true
        /// Whether the exploration was ended from outside.
        public internal(set) var isEnded = false
        /// What expressions read and states are compared without: `now`, `rand`, `self.v`. What
        /// depends on it was tried with the first values only.
        public internal(set) var untried: [String] = []
        /// The ids of states of the chart that were never active, in document order.
        public internal(set) var unreached: [String] = []
        /// The events that no state took.
        public internal(set) var untaken: [String] = []
        /// The requests whose answer has made a step fail, and which have no answer in the options.
        public internal(set) var unanswered: [String] = []
        /// What is wrong, with the shortest sequences first.
        public internal(set) var findings: [Finding] = []
    }

    /// A way to a state of the machine.
    private struct Visit {
        let parent: Int
        let command: String
        let depth: Int
    }

    /// Something to try.
    fileprivate struct Attempt {
        enum Kind {
            case event(ChartEvent)
            case wait(Int64)
            case waitForNext
            case answer(String, CELValue, isGiven: Bool)
            case fail(String)
        }

        let command: String
        let kind: Kind
    }

    private let chart: Chart
    private let options: Options
    private let events: [Attempt]
    private var visits: [Visit] = []
    private var known: Set<[UInt8]> = []
    private var knownBytes = 0
    private var queue: [(run: ChartRun, visit: Int)] = []
    private var next = 0
    private var reached: Set<String> = []
    private var taken: Set<String> = []
    private var found: Set<String> = []
    private var report = Report()
    private let machines: [String: Chart]
    /// What differs from step to step in the charts that took part.
    private var unsteadyNames: Set<String> = []

    private init(_ chart: Chart, _ machines: [String: Chart], _ options: Options) {
        self.chart = chart
        self.machines = machines
        self.options = options
        let given = Set(options.events.map(\.type))
        let samples = chart.eventTypes.filter { !given.contains($0) }.flatMap { type in
            chart.samples(ofEvent: type).compactMap { try? ChartEvent(ofClient: $0) }
        }
        events = (options.events + samples).map { Attempt(command: $0.command, kind: .event($0)) }
    }

    /// Explores a chart.
    ///
    /// - Parameters:
    ///   - machines: The charts by name that can be invoked and sent to.
    ///   - progress: Gets the number of visited states from time to time.
    ///   - isOver: Whether it is to end, because of time, for example. Asked before each command,
    ///     which takes as long as a chart's budgets allow.
    public static func explore(
        _ chart: Chart, machines: [String: Chart] = [:], _ options: Options = Options(),
        progress: (Int) -> Void = { _ in }, isOver: () -> Bool = { false }
    ) -> Report {
        var exploration = Exploration(chart, machines, options)
        let start = SimulationCommand.Start()
        let run = ChartRun(
            chart, machines: machines, id: start.id, start: start.time, seed: start.seed)
        exploration.begin(run)
        exploration.search(progress, isOver)
        return exploration.finished()
    }

    // MARK: Searching

    private mutating func begin(_ prepared: ChartRun) {
        var run = prepared
        visits.append(Visit(parent: -1, command: ".start", depth: 0))
        do throws(ChartRunError) {
            try run.start()
        } catch {
            return find(.endless, error.reason, key: "start", to: 0, nil)
        }
        // A machine that couldn't start is a finding.
        guard judge(&run, nil, from: 0).isSound, run.state != nil else { return }
        remember(run.fingerprint)
        queue.append((run, 0))
    }

    private mutating func search(_ progress: (Int) -> Void, _ isOver: () -> Bool) {
        while next < queue.count {
            let (run, visit) = queue[next]
            // What was visited is needed no more.
            queue[next].run = queue[0].run
            next += 1
            if next >= 4_096 {
                queue.removeFirst(next)
                next = 0
            }
            if let depthMax = options.depthMax, visits[visit].depth >= depthMax {
                report.isComplete = false
                continue
            }
            let count = report.states
            guard expand(run, visit, isOver) else {
                report.isComplete = false
                return
            }
            if count / 1_000 != report.states / 1_000 { progress(report.states) }
        }
    }

    /// Tries everything in a state of the machine.
    ///
    /// - Returns: False if there is no room for a further state, or no time.
    private mutating func expand(
        _ run: ChartRun, _ visit: Int, _ isOver: () -> Bool
    ) -> Bool {
        let before = run.fingerprint
        var isStuck = true
        for attempt in attempts(run) {
            if isOver() {
                report.isEnded = true
                return false
            }
            report.steps += 1
            var after = run
            do throws(ChartRunError) {
                try attempt.carryOut(on: &after)
            } catch {
                find(
                    .endless, error.reason, key: attempt.command, to: visit, attempt.command)
                continue
            }
            let judgement = judge(&after, attempt, from: visit)
            if judgement.isTaken { isStuck = false }
            guard judgement.isSound else { continue }
            let fingerprint = after.fingerprint
            if fingerprint != before { isStuck = false }
            guard !known.contains(fingerprint) else { continue }
            guard report.states < options.statesMax, knownBytes < SimulationLimits.exploredBytesMax
            else {
                return false
            }
            remember(fingerprint)
            let depth = visits[visit].depth + 1
            report.depth = max(report.depth, depth)
            visits.append(Visit(parent: visit, command: attempt.command, depth: depth))
            queue.append((after, visits.count - 1))
        }
        if isStuck, !run.isFinished {
            let names = run.activeStates.joined(separator: ", ")
            find(.deadEnd, names, key: names, to: visit, nil)
        }
        return true
    }

    private mutating func remember(_ fingerprint: [UInt8]) {
        known.insert(fingerprint)
        knownBytes += fingerprint.count
        report.states += 1
    }

    /// Everything that can be tried in a state of the machine.
    private func attempts(_ run: ChartRun) -> [Attempt] {
        guard !run.isFinished else { return [] }
        var attempts = events
        if run.nextDue != nil { attempts.append(Attempt(command: ".wait", kind: .waitForNext)) }
        for wait in options.waits {
            attempts.append(
                Attempt(command: ".wait \(ChartDelay.text(wait))", kind: .wait(wait)))
        }
        var asked: Set<String> = []
        for waiting in run.pending where asked.insert(waiting.invocation.id).inserted {
            let id = waiting.invocation.id
            if let answers = options.answers[id] {
                attempts += answers.map { value in
                    Attempt(
                        command: ".answer \(id) \(value.json ?? .null)",
                        kind: .answer(id, value, isGiven: true))
                }
            } else {
                attempts.append(Self.standardAnswer(waiting.invocation))
            }
            attempts.append(Attempt(command: ".fail \(id)", kind: .fail(id)))
        }
        return attempts
    }

    private static func standardAnswer(_ invocation: ChartInvocation) -> Attempt {
        var command = ".answer \(invocation.id)"
        var value = CELValue.null
        if case .http = invocation.source {
            value = ["status": 200, "headers": [:], "body": [:]]
            command += " \(value.json ?? .null)"
        }
        return Attempt(command: command, kind: .answer(invocation.id, value, isGiven: false))
    }

    // MARK: Judging

    /// Looks at what an attempt has done.
    ///
    /// - Returns: Whether no step has failed, so that the state can be explored; and whether a
    ///   transition was taken, by the machine or another one.
    private mutating func judge(
        _ run: inout ChartRun, _ attempt: Attempt?, from visit: Int
    ) -> (isSound: Bool, isTaken: Bool) {
        var isSound = true
        var isTaken = false
        for record in run.records {
            switch record.entry {
            case .step(let change):
                if change.isChanged { isTaken = true }
                guard record.address == run.address else {
                    let name = record.address.prefix { $0 != "/" }
                    unsteadyNames.formUnion(machines[String(name)]?.unsteadyNames ?? [])
                    continue
                }
                check(change.after, at: record.time, of: run, visit, attempt)
                reached.formUnion(change.entered)
                if change.isChanged, let type = attempt?.eventType { taken.insert(type) }
            case .failure(let failure):
                guard failure.code != .eventRejected else { continue }
                isSound = false
                if case .answer(let id, _, isGiven: false)? = attempt?.kind {
                    if !report.unanswered.contains(id) { report.unanswered.append(id) }
                    continue
                }
                let place = failure.path.map { " (\($0))" } ?? ""
                let text = "\(failure.code.rawValue): \(failure.message)\(place)"
                find(.failure, text, key: text, to: visit, attempt?.command)
            case .event, .timer, .asked, .output, .log, .undelivered, .finished: continue
            }
        }
        run.records = []
        return (isSound, isTaken)
    }

    /// Checks the conditions in the state after one step. A command can cause several, and others
    /// can read the state after each.
    private mutating func check(
        _ state: ChartState, at time: CELTimestamp, of run: ChartRun, _ visit: Int,
        _ attempt: Attempt?
    ) {
        for invariant in options.invariants {
            var text = invariant.text
            do throws(ChartFailure) {
                guard try !run.holds(invariant, in: state, at: time) else { continue }
            } catch {
                text += ": \(error.message)"
            }
            find(.invariant, text, key: invariant.text, to: visit, attempt?.command)
        }
    }

    /// Reports something that is wrong, once for each key.
    private mutating func find(
        _ kind: Finding.Kind, _ text: String, key: String, to visit: Int, _ last: String?
    ) {
        guard report.findings.count < SimulationLimits.findingsMax,
            found.insert("\(kind.rawValue) \(key)").inserted
        else { return }
        var commands = last.map { [$0] } ?? []
        var index = visit
        while index >= 0 {
            commands.append(visits[index].command)
            index = visits[index].parent
        }
        report.findings.append(
            Finding(kind: kind, text: text, commands: commands.reversed()))
    }

    private func finished() -> Report {
        var report = report
        report.untried = unsteadyNames.union(chart.unsteadyNames).sorted()
        report.unreached = chart.stateIDs.filter { !reached.contains($0) }
        var types: Set<String> = []
        report.untaken = events.compactMap(\.eventType).filter {
            types.insert($0).inserted && !taken.contains($0) && chart.isFromOutside($0)
        }
        return report
    }
}

extension Exploration.Attempt {
    /// The type of an event that a client sends.
    fileprivate var eventType: String? {
        if case .event(let event) = kind { event.type } else { nil }
    }

    fileprivate func carryOut(on run: inout ChartRun) throws(ChartRunError) {
        switch kind {
        case .event(let event): try run.send(event)
        case .wait(let milliseconds): try run.advance(milliseconds: milliseconds)
        case .waitForNext: try run.advance(milliseconds: run.nextDue ?? 0)
        case .answer(let id, let value, _): try run.answer(id, with: value)
        case .fail(let id): try run.fail(id, code: "FAILED", message: "it failed")
        }
    }
}

extension Chart {
    /// Whether clients are meant to send events of a type: those that are declared, or all where
    /// none is.
    fileprivate func isFromOutside(_ type: String) -> Bool {
        events.isEmpty || events[type] != nil
    }
}

extension ChartEvent {
    /// The event as a command of a simulation.
    fileprivate var command: String {
        var members = members.json.object ?? JSONObject()
        members["type"] = nil
        return members.isEmpty ? type : "\(type) \(JSONValue.object(members))"
    }
}
