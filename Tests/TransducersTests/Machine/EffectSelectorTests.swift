import Testing

@testable import Transducers

@Suite("EffectSelector")
struct EffectSelectorTests {
    /// A machine whose timer may have a name.
    enum Alarm: EffectTransducer {
        struct State: NonTerminal { var timer: String? }
        enum Event: String, Codable, Sendable { case stop, stopTask }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch event {
            case .stop: .cancel(id: state.timer)
            case .stopTask: .cancelTask(state.timer)
            }
        }
    }

    /// The stored form of what a step cancels.
    private func cancelled(_ event: Alarm.Event, timer: String?) throws -> HostedEffect? {
        var state = Alarm.State(timer: timer)
        var closures = HostedClosures()
        return try Alarm.update(&state, event: event)?.node.hosted(env: nil, closures: &closures)
    }

    @Test(arguments: [Alarm.Event.stop, .stopTask])
    func `an optional id is the id in it, on a server too`(event: Alarm.Event) throws {
        #expect(try cancelled(event, timer: "t1") == .cancel(HostedSelector(.id("t1"))))
        #expect(try cancelled(event, timer: nil) == .all([]))
    }

    @Test func `no id selects nothing`() throws {
        let none: String? = nil
        for key in [EffectKey("t"), EffectKey(""), .unnamed] {
            #expect(!EffectSelector.id(none).includes(key))
        }
        #expect(EffectSelector.id(Optional("t")).includes(EffectKey("t")))
        #expect(EffectKey(Optional("t")) == EffectKey("t"))
        #expect(EffectKey(none) == .unnamed)
    }
}
