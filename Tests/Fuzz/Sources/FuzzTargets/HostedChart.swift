import OrderedJSON
import Statecharts
import Transducers

/// A chart as a server hosts it, which takes a bounded number of events. Whatever it does, its
/// states must be readable, and be the same ones once they are written again.
struct HostedChart: Sendable {
    private let chart: Chart
    private let definition: Definition
    /// Events that a client could send, as JSON.
    private let events: [JSONValue]

    private static let eventsMax = 16
    private static let limits = StepLimits(
        immediateEvents: 64, outputs: 64, outputBytes: 1 << 20, stateBytes: 1 << 20)

    /// A chart with its definition, which gets an id if it has none; nil if the host refuses it.
    init?(_ chart: Chart, _ json: JSONValue) throws {
        guard var object = json.object else { throw Finding("a chart is no object") }
        var chart = chart
        if chart.name == nil {
            object["id"] = "m"
            chart = try Chart(.object(object))
        }
        let definitions: ChartDefinitions
        do throws(ChartProblems) {
            definitions = try ChartDefinitions(chart, json: .object(object))
        } catch {
            guard !error.errors.isEmpty else { throw Finding("it is refused without an error") }
            return nil
        }
        for other in definitions.all { _ = other.describer?.describe(in: nil) }
        self.chart = chart
        definition = definitions.all[0]
        events = Array(chart.eventSamples.prefix(Self.eventsMax / 2))
    }

    // MARK: States

    /// Starts an instance and lets it take events.
    func start() throws {
        let instance: any HostedInstance
        var step = StepBuffer()
        do throws(StepFailure) {
            instance = try definition.machine.makeInstance(
                .unnamed, input: nil, in: StepContext(limits: Self.limits))
            try instance.describeInitial(into: &step)
        } catch {
            return
        }
        try check(state: step.state.bytes)
        try run(instance, events + follow(step))
    }

    /// Continues from a stored state, which may be anything.
    ///
    /// - Parameter further: Events to take besides those that the chart's events are made of.
    func restore(_ state: [UInt8], _ further: [JSONValue]) throws {
        _ = definition.describer?.describe(in: state)
        _ = definition.naming.names(of: state)
        let instance: any HostedInstance
        do throws(StepFailure) {
            instance = try definition.machine.restoreInstance(state: state)
        } catch {
            return
        }
        let read = try chart.restore(JSONValue(parsing: state, limits: .stored))
        try check(state: chart.json(of: read))
        try run(instance, events + further)
    }

    /// Moves a stored state, which may be anything, to another version, and continues from there.
    func migrate(_ state: [UInt8], from former: HostedChart, _ further: [JSONValue]) throws {
        let instance: any HostedInstance
        var step = StepBuffer()
        do throws(StepFailure) {
            instance = try definition.machine.migrate(
                .unnamed, state: state, of: former.definition.machine, plan: nil,
                in: StepContext(limits: Self.limits), into: &step)
        } catch {
            return
        }
        try check(state: step.state.bytes)
        try run(instance, events + further)
    }

    /// A state that the chart has written is read, is legal, and is written in the same way.
    private func check(state bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        let state: ChartState
        do {
            state = try chart.restore(JSONValue(parsing: bytes, limits: .stored))
        } catch {
            throw Finding("its own state can't be read: \(error): \(text)")
        }
        let again = chart.json(of: state)
        guard again == bytes else {
            throw Finding("\(text) is written as \(String(decoding: again, as: UTF8.self))")
        }
        guard !chart.activeStates(of: state).isEmpty else { throw Finding("no state is active") }
        _ = (chart.activeValue(of: state), chart.accepted(in: state), chart.tags(of: state))
        _ = definition.describer?.describe(in: bytes)
    }

    // MARK: Events

    private func run(_ instance: any HostedInstance, _ events: [JSONValue]) throws {
        var instance = instance
        var waiting = events[...]
        var version: Int64 = 0
        while let json = waiting.popFirst(), version < Self.eventsMax, !instance.isTerminal {
            version += 1
            guard let event = decoded(json) else { continue }
            var next = instance
            var step = StepBuffer()
            do throws(StepFailure) {
                let context = StepContext(
                    limits: Self.limits, time: version * 1_000, version: version)
                try next.apply(event, in: context, into: &step)
            } catch {
                continue
            }
            try check(state: step.state.bytes)
            instance = next
            waiting += follow(step)
        }
        var step = StepBuffer()
        // A stop may fail.
        _ = try? instance.stop(in: StepContext(limits: Self.limits), into: &step)
    }

    private func decoded(_ json: JSONValue) -> (any HostedEvent)? {
        // What is no event of the chart is left out.
        try? definition.machine.decodeEvent(json)
    }

    /// The events that the effects of a step lead to: timers that fire, and the ends of
    /// invocations.
    private func follow(_ step: StepBuffer) -> [JSONValue] {
        step.effects.prefix(Self.eventsMax).compactMap { effect -> JSONValue? in
            guard case .start(let run) = effect else { return nil }
            switch run.work {
            case .after(_, let event): return event
            case .perform, .start: return end(of: run, step.state.bytes)
            case .send, .ask, .compensate, .closure: return nil
            }
        }
    }

    /// The end of an invocation: a failure for every other one.
    private func end(of run: HostedRun, _ state: [UInt8]) -> JSONValue? {
        let machine = definition.machine
        var event = machine.event(ofFailure: "it failed", key: run.key, state: state)
        if event == nil || (run.key.id?.utf8.count ?? 0) % 2 == 0 {
            // A result that can't be taken is none.
            event = try? machine.event(
                ofResult: ["status": 200, "n": 1], key: run.key, then: nil)
        }
        guard let event, let text = try? event.canonicalText() else { return nil }
        return try? JSONValue(parsing: text, limits: .stored)
    }
}
