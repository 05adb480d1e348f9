import CEL
import OrderedJSON
import Transducers

/// A chart as a server hosts it.
final class ChartMachine: HostedMachine {
    let chart: Chart
    /// The name of the machine that the chart is, or is a part of.
    let family: String
    /// The names of inline machines.
    let inlineNames: [ObjectIdentifier: String]
    /// The definition as JSON, if it was computed and is a part of each state.
    let definition: [UInt8]?

    init(
        _ chart: Chart, family: String, inlineNames: [ObjectIdentifier: String],
        definition: [UInt8]? = nil
    ) {
        self.chart = chart
        self.family = family
        self.inlineNames = inlineNames
        self.definition = definition
    }

    /// The name of the machine whose instances have definitions that a chart has computed.
    static func computedName(of family: String) -> String { "\(family).computed" }

    // MARK: Events

    func decodeEvent(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> any HostedEvent {
        try HostedChartEvent.client(document, at: node)
    }

    func decodeEvent(_ value: JSONValue) throws(EventError) -> any HostedEvent {
        let event = try HostedChartEvent.stored(value)
        guard case .timer(let timer) = event.content, chart.event(of: timer) == nil else {
            return event
        }
        // A replay with another version has the former name of its state.
        let renamed = try HostedChartEvent.stored(try migrate(event: value))
        if case .timer(let timer) = renamed.content, chart.event(of: timer) != nil {
            return renamed
        }
        throw EventError(path: "$", message: Self.unknownTimer, expected: nil)
    }

    func decodeEvent(
        _ value: JSONValue, from origin: EventOrigin
    ) throws(EventError) -> any HostedEvent {
        try HostedChartEvent.sent(value, from: origin)
    }

    private static let unknownTimer = "this version of the machine has no such timer"

    /// The event of a step of this chart.
    func event(of event: any HostedEvent) throws(StepFailure) -> ChartEvent {
        switch HostedChartEvent.read(event) {
        case .event(let event): return event
        case .timer(let timer):
            guard let event = chart.event(of: timer) else { throw .evaluation(Self.unknownTimer) }
            return event
        }
    }

    // MARK: Instances

    let takesInput = true

    func makeInstance(
        _ identity: InstanceIdentity, input: JSONValue?, in context: StepContext,
        work: inout Int
    ) throws(StepFailure) -> any HostedInstance {
        try ChartInstance(
            self, identity, input: CELMap(input?.object ?? JSONObject()), context, work: &work)
    }

    func restoreInstance(
        _ identity: InstanceIdentity, state: [UInt8], from version: String?
    ) throws(StepFailure) -> any HostedInstance {
        let restored: ChartState
        do throws(ChartFailure) {
            restored = try chart.restore(try Self.json(ofState: state))
        } catch {
            throw StepFailure(error, accepts: [])
        }
        return ChartInstance(self, identity, restored)
    }

    static func json(ofState state: [UInt8]) throws(ChartFailure) -> JSONValue {
        do {
            return try JSONValue(parsing: state, limits: .stored)
        } catch {
            throw ChartFailure(.evalError, "the stored state is no JSON: \(error.message)")
        }
    }

    // MARK: Effects

    func event(
        ofResult value: JSONValue, key: HostedKey, then: String?
    ) throws(StepFailure) -> (any HostedEvent)? {
        ChartEvent(result: value, of: key).map { HostedChartEvent($0) }
    }

    /// The event of a failure, if the chart has a transition for such events. Without, the failed
    /// effect stays for those who look after the server.
    func event(
        ofFailure reason: String, key: HostedKey, state: [UInt8]
    ) -> (any HostedEvent)? {
        taken(ChartEvent(failure: reason, of: key))
    }

    /// The failure of an invocation whose result the chart couldn't take, in the same way.
    func event(
        ofRefusal reason: String, key: HostedKey, state: [UInt8]
    ) -> (any HostedEvent)? {
        taken(ChartEvent(refusal: reason, of: key))
    }

    private func taken(_ event: ChartEvent?) -> (any HostedEvent)? {
        guard let event, chart.hasTransition(for: event.type) else { return nil }
        return HostedChartEvent(event)
    }

    /// Nothing: charts have no closures.
    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure) {}
}
