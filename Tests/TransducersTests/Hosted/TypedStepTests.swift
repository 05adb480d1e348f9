import OrderedJSON
import Testing
import Transducers

/// Steps of Swift types with a memory of texts, beside the same steps without one.
@Suite("TypedStep")
struct TypedStepTests {
    /// Its states and outputs are nothing but bits.
    private enum Lift: Transducer, InitialState {
        enum State: NonTerminal, Codable, Equatable, Sendable {
            case waiting(floor: Int8)
            case moving(floor: Int8, up: Bool)
        }
        enum Event: Codable, Sendable { case up, down, stop }
        enum Output: Codable, Sendable, Equatable { case moved(Int8), stopped, ignored }

        static var initialState: State { .waiting(floor: 0) }

        static func update(_ state: inout State, event: Event) throws -> Output {
            switch (state, event) {
            case (.waiting(let floor), .up), (.moving(let floor, true), .up):
                guard floor < 9 else { throw Rejection("there is no higher floor") }
                state = .moving(floor: floor + 1, up: true)
                return .moved(floor + 1)
            case (.waiting(let floor), .down), (.moving(let floor, false), .down):
                guard floor > -2 else { throw Rejection("there is no lower floor") }
                state = .moving(floor: floor - 1, up: false)
                return .moved(floor - 1)
            case (.moving(let floor, _), .stop):
                state = .waiting(floor: floor)
                return .stopped
            default: return .ignored
            }
        }
    }

    private func context(stateBytes: Int = 1 << 20) -> StepContext {
        StepContext(
            limits: StepLimits(
                immediateEvents: 100, outputs: 10, outputBytes: 1 << 20, stateBytes: stateBytes),
            time: 0)
    }

    @Test func `what is remembered is what would be written`() throws {
        let machine = Definition(Lift.self, named: "lift", version: "1").machine
        var remembering = StepBuffer(texts: TextMemory(slots: 8))
        let events = try ["up", "down", "stop"].map {
            try machine.decodeEvent(JSONValue.string($0))
        }
        var instances = try (0..<20).map { _ in try machine.makeInstance() }
        for number in 0..<2_000 {
            let event = events[(number &* number &* 7_919) % 101 % 3]
            let index = (number &* 31) % 20
            var plain = instances[index]
            var expected = StepBuffer()
            remembering.removeAll()
            do {
                try plain.apply(event, in: context(), into: &expected)
            } catch {
                var instance = instances[index]
                #expect(throws: StepFailure.self) {
                    try instance.apply(event, in: context(), into: &remembering)
                }
                continue
            }
            try instances[index].apply(event, in: context(), into: &remembering)
            #expect(remembering.state.bytes == expected.state.bytes)
            #expect(remembering.outputs == expected.outputs)
            try #require(!expected.state.bytes.isEmpty && expected.outputs.count == 1)
        }
    }

    @Test func `a remembered state that is too large for a step is refused`() throws {
        let machine = Definition(Lift.self, named: "lift", version: "1").machine
        let up = try machine.decodeEvent(JSONValue.string("up"))
        var step = StepBuffer(texts: TextMemory(slots: 8))
        for bytes in [1 << 20, 1 << 20, 1 << 20, 20, 1 << 20] {
            var instance = try machine.makeInstance()
            step.removeAll()
            if bytes == 20 {
                #expect(throws: StepFailure.stateTooLarge(37, max: 20)) {
                    try instance.apply(up, in: context(stateBytes: bytes), into: &step)
                }
            } else {
                try instance.apply(up, in: context(stateBytes: bytes), into: &step)
                #expect(
                    String(decoding: step.state.bytes, as: UTF8.self)
                        == #"{"type":"moving","floor":1,"up":true}"#)
            }
        }
    }

    @Test func `without limits every event is applied`() throws {
        let machine = Definition(Lift.self, named: "lift", version: "1").machine
        var instance = try machine.makeInstance()
        var step = StepBuffer()
        try instance.apply(
            machine.decodeEvent(JSONValue.string("up")), in: StepContext(limits: .unbounded),
            into: &step)
        #expect(step.outputs.count == 1)
    }
}
