import Testing
import Transducers

@Suite("Silenced")
struct SilencedTests {
    /// Without outputs, as many machines with effects are.
    enum Lamp: EffectTransducer, InitialState {
        enum State: String, NonTerminal, Codable { case off, on }
        enum Event: String, Codable { case toggle, twice, fail }
        struct Broken: Error {}

        static var initialState: State { .off }

        static func effectFailed(_ failure: EffectFailure) -> Event? { .toggle }

        static func update(_ state: inout State, event: Event) throws -> Effect? {
            switch event {
            case .toggle: state = state == .on ? .off : .on
            case .twice: return .events([.toggle, .toggle, .toggle])
            case .fail: throw Broken()
            }
            return nil
        }
    }

    typealias Both = Parallel<Parts.Count, Silenced<Lamp>, EndsWithFirst>

    @Test func `a machine without outputs can be a side of a hosted product`() throws {
        var both = try Parts.Hosted(Definition(Both.self, named: "both", version: "1.0.0"))
        let step = try both.apply(#"{"type":"second","value":"twice"}"#)
        #expect(step.state == #"{"first":{"count":0,"limit":3},"second":"on"}"#)
        #expect(step.outputs == [])
        #expect(
            try both.apply(#"{"type":"first","value":{"type":"add","value":1}}"#).outputs
                == [#"{"type":"first","value":1}"#])
    }

    @Test func `a silenced machine throws and gets failures like the machine`() {
        var state = Silenced<Lamp>.initialState
        #expect(throws: Lamp.Broken.self) { try Silenced<Lamp>.step(&state, .fail) }
        let failure = EffectFailure(id: nil, error: Lamp.Broken())
        #expect(Silenced<Lamp>.effectFailed(failure) == .toggle)
    }

    @Test func `empty outputs are distinguished from others`() {
        #expect(NoOutput.isSilent(()))
        #expect(NoOutput.isSilent(NoOutput()))
        #expect(NoOutput.isSilent(Int?.none))
        #expect(!NoOutput.isSilent(Int?.some(1)))
        #expect(!NoOutput.isSilent(0))
        #expect(NoOutput.isSilent(ParallelOutput<Void, Int>.first(())))
    }
}
