import CEL
import OrderedJSON
import Transducers

/// The machine of instances whose definitions a chart has computed: each has its own, which is the
/// member `definition` of its state.
final class ComputedChartMachine: HostedMachine {
    private let name: String
    private let family: String
    /// Reads events. No chart is needed for that.
    private let reader: ChartMachine

    init(name: String, family: ChartMachine) {
        self.name = name
        self.family = family.family
        reader = family
    }

    func decodeEvent(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> any HostedEvent {
        try reader.decodeEvent(document, at: node)
    }

    func decodeEvent(_ value: JSONValue) throws(EventError) -> any HostedEvent {
        try reader.decodeEvent(value)
    }

    func decodeEvent(
        _ value: JSONValue, from origin: EventOrigin
    ) throws(EventError) -> any HostedEvent {
        try reader.decodeEvent(value, from: origin)
    }

    let takesInput = true

    func makeInstance(
        _ identity: InstanceIdentity, input: JSONValue?, in context: StepContext
    ) throws(StepFailure) -> any HostedInstance {
        guard let definition = input?["definition"] else {
            throw .evaluation("only machine \(family) starts instances of \(name)")
        }
        return try machine(definition).makeInstance(
            identity, input: input?["input"], in: context)
    }

    func restoreInstance(
        _ identity: InstanceIdentity, state: [UInt8], from version: String?
    ) throws(StepFailure) -> any HostedInstance {
        let json: JSONValue
        do throws(ChartFailure) {
            json = try ChartMachine.json(ofState: state)
        } catch {
            throw StepFailure(error, accepts: [])
        }
        guard let definition = json["definition"] else {
            throw .evaluation("the stored state has no definition")
        }
        return try machine(definition).restoreInstance(identity, state: state, from: version)
    }

    func event(
        ofResult value: JSONValue, key: HostedKey, then: String?
    ) throws(StepFailure) -> (any HostedEvent)? {
        try reader.event(ofResult: value, key: key, then: then)
    }

    /// An event in each case: whether the instance's chart has a transition for it isn't known.
    func event(ofFailure reason: String, key: HostedKey) -> (any HostedEvent)? {
        ChartEvent(failure: reason, of: key).map { HostedChartEvent($0, of: reader.chart) }
    }

    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure) {}

    private func machine(_ definition: JSONValue) throws(StepFailure) -> ChartMachine {
        let chart: Chart
        do throws(ChartProblems) {
            chart = try Chart(definition)
        } catch {
            let first = error.errors.first?.description ?? "it can't be read"
            throw .evaluation("the computed definition can't be used: \(first)")
        }
        guard !chart.invokesMachinesOfItsOwn else {
            throw .evaluation(
                "a computed definition has no inline machines: give them names, and define them")
        }
        return ChartMachine(
            chart, family: family, inlineNames: [:], definition: definition.serialized())
    }
}
