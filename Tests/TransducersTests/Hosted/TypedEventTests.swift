import BuiltInMachines
import OrderedJSON
import Testing
import Transducers

/// Events of Swift types as a server handles them.
@Suite("TypedEvent")
struct TypedEventTests {
    private let context = StepContext(
        limits: StepLimits(
            immediateEvents: 1_000, outputs: 100, outputBytes: 1 << 20, stateBytes: 1 << 20),
        time: 1_700_000_000_123, version: 4)

    /// The state of a new counter after an event.
    private func state(after event: any HostedEvent, of machine: any HostedMachine) throws -> String
    {
        let identity = InstanceIdentity(name: "counter/c", number: 1, parent: nil)
        var instance = try machine.makeInstance(identity, input: nil, in: context)
        var step = StepBuffer()
        try instance.apply(event, in: context, into: &step)
        return String(decoding: step.state.bytes, as: UTF8.self)
    }

    @Test(arguments: [#""increment""#, #"{"type":"add","amount":5}"#])
    func `a copy is the same event in memory of its own`(text: String) throws {
        let definition = try #require(
            BuiltInMachines.definitions.first { $0.name == "counter" })
        let event = try definition.machine.decodeEvent(JSONValue(parsing: Array(text.utf8)))
        let copy = event.copy()
        #expect(copy !== event)
        #expect(try copy.canonicalText() == event.canonicalText())
        #expect(
            try state(after: copy, of: definition.machine)
                == state(after: event, of: definition.machine))
    }

    @Test func `a step leaves nothing of the outputs before it`() throws {
        var step = StepBuffer()
        for texts in [["a long output", "b"], ["c"], [], ["d", "e", "f"]] {
            step.removeAll()
            for text in texts {
                var writer = step.outputWriter()
                writer.string(text)
                try step.add(output: writer, type: nil)
            }
            #expect(
                step.outputs.map { String(decoding: $0.data, as: UTF8.self) }
                    == texts.map { "\"\($0)\"" })
        }
    }
}
