import CEL
import OrderedJSON
import Transducers

/// The machine of instances whose definitions a chart has computed: each has its own, which is the
/// member `definition` of its state.
final class ComputedChartMachine: HostedMachine {
    private let name: String
    /// The machine whose instances start those of this one.
    private let family: String

    init(name: String, family: String) {
        self.name = name
        self.family = family
    }

    // MARK: Events

    func decodeEvent(
        _ document: JSONDocument, at node: JSONDocument.Node
    ) throws(EventError) -> any HostedEvent {
        try HostedChartEvent.client(document, at: node)
    }

    func decodeEvent(_ value: JSONValue) throws(EventError) -> any HostedEvent {
        try HostedChartEvent.stored(value)
    }

    func decodeEvent(
        _ value: JSONValue, from origin: EventOrigin
    ) throws(EventError) -> any HostedEvent {
        try HostedChartEvent.sent(value, from: origin)
    }

    // MARK: Instances

    let takesInput = true

    /// A client can't give a definition past the checks of `define`.
    var soleStarter: String? { family }

    func makeInstance(
        _ identity: InstanceIdentity, input: JSONValue?, in context: StepContext,
        work: inout Int
    ) throws(StepFailure) -> any HostedInstance {
        let parent = identity.parent?.split(separator: "/", maxSplits: 1).first
        guard let parent, parent == family, let definition = input?["definition"] else {
            throw .evaluation("only machine \(family) starts instances of \(name)")
        }
        let chart: Chart
        do throws(ChartProblems) {
            chart = try Chart.computed(definition)
        } catch {
            throw Self.unusable(error)
        }
        guard !chart.invokesMachinesOfItsOwn else {
            throw .evaluation(
                "a computed definition has no inline machines: give them names, and define them")
        }
        return try machine(chart, definition.serialized()).makeInstance(
            identity, input: input?["input"], in: context, work: &work)
    }

    func restoreInstance(
        _ identity: InstanceIdentity, state: [UInt8], from version: String?
    ) throws(StepFailure) -> any HostedInstance {
        try machine(ofState: state).machine.restoreInstance(
            identity, state: state, from: version)
    }

    func migrate(
        _ identity: InstanceIdentity, state: [UInt8], of former: any HostedMachine,
        plan: JSONValue?, in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) -> any HostedInstance {
        throw .evaluation("an instance of a computed definition has no other version")
    }

    /// The names of the active states of a stored state; empty for what is none.
    func activeNames(ofState state: [UInt8]) -> [String] {
        // What can't be read has no names.
        guard let (machine, json) = try? self.machine(ofState: state) else { return [] }
        return machine.chart.activeNames(in: json)
    }

    // MARK: Effects

    func event(
        ofResult value: JSONValue, key: HostedKey, then: String?
    ) throws(StepFailure) -> (any HostedEvent)? {
        ChartEvent(result: value, of: key).map { HostedChartEvent($0) }
    }

    func event(
        ofFailure reason: String, key: HostedKey, state: [UInt8]
    ) -> (any HostedEvent)? {
        // One whose definition can't be read takes nothing: the failed effect stays.
        guard let (machine, _) = try? self.machine(ofState: state) else { return nil }
        return machine.event(ofFailure: reason, key: key, state: state)
    }

    func event(
        ofRefusal reason: String, key: HostedKey, state: [UInt8]
    ) -> (any HostedEvent)? {
        // As for a failure.
        guard let (machine, _) = try? self.machine(ofState: state) else { return nil }
        return machine.event(ofRefusal: reason, key: key, state: state)
    }

    func resume(
        _ instance: any HostedInstance, into step: inout StepBuffer
    ) throws(StepFailure) {}

    // MARK: Definitions

    private func machine(_ chart: Chart, _ text: [UInt8]) -> ChartMachine {
        ChartMachine(chart, family: family, inlineNames: [:], definition: text)
    }

    /// The machine of a stored instance, and its state as JSON. What was stored has passed the
    /// checks of a new one.
    private func machine(
        ofState state: [UInt8]
    ) throws(StepFailure) -> (machine: ChartMachine, json: JSONValue) {
        let json: JSONValue
        do throws(ChartFailure) {
            json = try ChartMachine.json(ofState: state)
        } catch {
            throw StepFailure(error, accepts: [])
        }
        guard let definition = json["definition"] else {
            throw .evaluation("the stored state has no definition")
        }
        let text = definition.serialized()
        do throws(ChartProblems) {
            return (machine(try ComputedCharts.shared.chart(definition, text: text), text), json)
        } catch {
            throw Self.unusable(error)
        }
    }

    private static func unusable(_ problems: ChartProblems) -> StepFailure {
        let first = problems.errors.first?.description ?? "it can't be read"
        return .evaluation("the computed definition can't be used: \(first)")
    }
}
