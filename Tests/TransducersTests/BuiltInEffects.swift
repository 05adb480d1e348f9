import BuiltInMachines
import OrderedJSON
import Testing
import Transducers

/// The effects of a built-in machine's step, as the host gets them.
enum BuiltInEffects {
    /// The effects of one event, hosted by the definition called `name`.
    static func of(
        _ event: some Encodable, at state: some Encodable, in name: String
    ) throws -> [HostedEffect] {
        let machine = try BuiltInDefinitionsTests.definition(name).machine
        var instance = try machine.restoreInstance(state: json(state))
        let document = try JSONDocument(parsing: json(event))
        let decoded = try machine.decodeEvent(document, at: document.root)
        var step = StepBuffer()
        let context = StepContext(limits: BuiltInDefinitionsTests.limits)
        try instance.apply(decoded, in: context, into: &step)
        return step.effects
    }

    /// Kind and id of each effect, in order.
    static func summary(_ effects: [HostedEffect]) -> String {
        effects.map { effect in
            switch effect {
            case .start(let run):
                [run.kind, run.key.text].compactMap(\.self).joined(separator: " ")
            case .event(let event): "event \(event.string ?? "?")"
            case .cancel(let selector): "cancel \(selector.choice)"
            case .rename(let renames):
                "rename \(renames.map { $0.to.text ?? "" }.joined(separator: " "))"
            case .updateQueue(let queue): "queue \(queue.name)"
            case .log(let label, let value): "log \(label ?? "") \(value)"
            case .sequence(let parts): "(\(summary(parts)))"
            case .all(let parts): summary(parts)
            }
        }.joined(separator: ", ")
    }

    private static func json(_ value: some Encodable) throws -> [UInt8] {
        var writer = JSONWriter()
        try JSONCoding.encode(value, into: &writer)
        return writer.bytes
    }
}
