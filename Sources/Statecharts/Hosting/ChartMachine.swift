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
        do throws(EventError) {
            return HostedChartEvent(try ChartEvent(ofClient: document, at: node), of: chart)
        } catch {
            throw EventError(
                path: document.path(to: node) + error.path.dropFirst(), message: error.message,
                expected: error.expected)
        }
    }

    func decodeEvent(_ value: JSONValue) throws(EventError) -> any HostedEvent {
        guard value.object?[ChartEvent.metaName] != nil else {
            return HostedChartEvent(try ChartEvent(ofClient: value), of: chart)
        }
        var event = chart.event(value)
        if event == nil { event = chart.event(try migrate(event: value)) }
        guard let event else {
            throw EventError(
                path: "$", message: "this version of the machine has no such event or timer",
                expected: nil)
        }
        return HostedChartEvent(event, of: chart)
    }

    func decodeEvent(
        _ value: JSONValue, from origin: EventOrigin
    ) throws(EventError) -> any HostedEvent {
        // A parent hands events on unchanged.
        if origin.isParent, value.object?[ChartEvent.metaName] != nil {
            return try decodeEvent(value)
        }
        var event = try ChartEvent(ofClient: value)
        event.way = .machine
        event.origin = origin.sender
        event.send = EffectName.sendID(origin.key)
        if let (id, serial) = origin.child.flatMap({ EffectName.invocation($0) }) {
            event.invocation = id
            event.invocationSerial = serial
        }
        return HostedChartEvent(event, of: chart)
    }

    // MARK: Instances

    let takesInput = true

    func makeInstance(
        _ identity: InstanceIdentity, input: JSONValue?, in context: StepContext
    ) throws(StepFailure) -> any HostedInstance {
        try ChartInstance(
            self, identity, input: CELMap(input?.object ?? JSONObject()), context)
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
        guard let (id, serial) = EffectName.invocation(key) else { return nil }
        return HostedChartEvent(
            .done(invocation: id, serial: serial, output: CELValue(value)), of: chart)
    }

    /// The event of a failure, if the chart has a transition for such events. Without, the failed
    /// effect stays for those who look after the server.
    func event(ofFailure reason: String, key: HostedKey) -> (any HostedEvent)? {
        guard let event = ChartEvent(failure: reason, of: key),
            chart.hasTransition(for: event.type)
        else { return nil }
        return HostedChartEvent(event, of: chart)
    }

    /// Nothing: charts have no closures.
    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure) {}
}
