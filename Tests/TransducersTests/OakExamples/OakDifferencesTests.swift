import Testing
import Transducers

/// Where machines behave in another way than with Oak, on purpose; and what looks as if it
/// might, and doesn't.
@Suite("Differences from Oak", .timeLimit(.minutes(1)))
struct OakDifferencesTests {
    /// Writes down the events in the order in which they are applied.
    enum Tape: EffectTransducer {
        struct State: Terminable {
            var text = ""
            var isTerminal: Bool { text.hasSuffix(".") }
        }
        enum Event: Sendable, Equatable {
            case letter(Character), several, acted, nested, sequence, burst, fail, loop, stop
        }
        typealias Output = String
        struct Oops: Error {}

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Output) {
            switch event {
            case .letter("a"):
                state.text.append("a")
                return (.event(.letter("1")), state.text)
            case .letter(let letter):
                state.text.append(letter)
                return (nil, state.text)
            case .stop:
                state.text.append(".")
                return (nil, state.text)
            case .loop:
                return (.event(.loop), state.text)
            case .several, .acted, .nested, .sequence, .burst, .fail:
                return (effect(of: event), state.text)
            }
        }

        static func effect(of event: Event) -> Self.Effect? {
            switch event {
            case .several:
                .events([.letter("a"), .letter("b"), .letter("c")])
            case .acted:
                Effect(action: { _ in [.letter("a"), .letter("b"), .letter("c")] })
            case .nested:
                .sequence(.event(.several), .event(.letter("d")))
            case .sequence:
                .sequence(
                    Effect { _, input in
                        for _ in 1...30 { await Task.yield() }
                        try input.send(.letter("x"))
                    },
                    Effect { _, input in try input.send(.letter("y")) },
                    Effect { _, input in try input.send(.stop) })
            case .burst:
                Effect { _, input in
                    for _ in 1...20 { try input.send(.letter("z")) }
                    try input.send(.stop)
                }
            case .fail:
                .combine(
                    Effect(id: "bad") { _, _ in throw Oops() },
                    Effect(action: { _ -> Event in throw Oops() }),
                    Effect(id: "good") { _, input in
                        for _ in 1...30 { await Task.yield() }
                        try input.send(.stop)
                    })
            default:
                nil
            }
        }
    }

    static func tape(_ events: Tape.Event..., proxy: Tape.Proxy = .init()) async throws -> String {
        for event in events { try proxy.send(event) }
        return try await Tape.run(initialState: .init(), proxy: proxy, env: ())
    }

    @Test func `several immediate events are applied first to last, and depth-first`()
        async throws
    {
        #expect(try await Self.tape(.several, .stop) == "a1bc.")
        #expect(try await Self.tape(.acted, .stop) == "a1bc.")
        #expect(try await Self.tape(.nested, .stop) == "a1bcd.")
    }

    @Test func `a sequence waits for each part, operations included`() async throws {
        #expect(try await Self.tape(.sequence) == "xy.")
    }

    @Test func `an effect that sends a burst ends well`() async throws {
        #expect(try await Self.tape(.burst) == String(repeating: "z", count: 20) + ".")
    }

    @Test func `an effect that fails harms no other, and is reported`() async throws {
        let proxy = Tape.Proxy()
        #expect(try await Self.tape(.fail, proxy: proxy) == ".")
        #expect(proxy.report.effectFailureCount == 2)
    }

    @Test func `events that cause each other for ever are refused, and the machine lives`()
        async throws
    {
        let proxy = Tape.Proxy()
        #expect(try await Self.tape(.letter("b"), .loop, .stop, proxy: proxy) == "b.")
        #expect(proxy.report.refusedCount == 1)
    }

    @Test func `a chain of a thousand immediate events comes before what an effect sends`()
        async throws
    {
        enum Chain: EffectTransducer {
            struct Env {}
            enum State: Terminable {
                case start, at(Int), finished
                var isTerminal: Bool { if case .finished = self { true } else { false } }
            }
            enum Event { case start, link, over }
            static func update(_ state: inout State, event: Event) -> Self.Effect? {
                switch (event, state) {
                case (.start, _):
                    state = .at(0)
                    return .sequence(
                        .event(.link), Effect(id: "op") { _, input in try input.send(.over) })
                case (.link, .at(let count)):
                    state = .at(count + 1)
                    return count < 999 ? .event(.link) : nil
                case (.over, .at(let count)):
                    #expect(count == 1_000)
                    state = .finished
                    return nil
                default:
                    Issue.record("\(event) in \(state)")
                    return nil
                }
            }
        }
        try await Chain.run(
            initialState: .start, proxy: .init(initialEvent: .start), env: Chain.Env())
    }

    @MainActor
    @Test func `outputs of a step are delivered when all of it has been applied`() async throws {
        final class Host { var tape = Tape.State() }
        let host = Host()
        let seen = Notes<String>()
        let proxy = Tape.Proxy(initialEvent: .several)
        try proxy.send(.stop)
        try await Tape.run(
            state: \.tape, host: host, proxy: proxy, env: (),
            output: Callback { @MainActor output in seen.add("\(output)/\(host.tape.text)") })
        #expect(
            seen.values == ["/a1bc", "a/a1bc", "a1/a1bc", "a1b/a1bc", "a1bc/a1bc", "a1bc./a1bc."])
    }

    @MainActor
    @Test func `isolated operations are started in order, and their events come in that order`()
        async throws
    {
        enum Count: EffectTransducer {
            final class Env { var value = 0 }
            final class Number {
                let value: Int
                init(_ value: Int) { self.value = value }
            }
            enum State: Terminable {
                case start, finished
                var isTerminal: Bool { self == .finished }
            }
            enum Event { case start, number(Number), stop }
            typealias Output = Int?
            static func update(_ state: inout State, event: Event) -> (Count.Effect?, Output) {
                switch event {
                case .start:
                    return (.sequence(make("1"), make("2"), make("3")), nil)
                case .number(let number):
                    return (nil, number.value)
                case .stop:
                    state = .finished
                    return (nil, -1)
                }
            }
            static func make(_ id: String) -> Count.Effect {
                Count.Effect(
                    id: id,
                    isolatedOperation: { env, input, isolated in
                        isolated.assertIsolated()
                        env.value += 1
                        try input.send(.number(Number(env.value)))
                    })
            }
        }
        var outputs: [Int] = []
        let proxy = Count.Proxy(initialEvent: .start)
        let input = proxy.input
        let result = try await Count.run(
            initialState: .start, proxy: proxy, env: Count.Env(),
            output: Callback { @MainActor output in
                guard let output else { return }
                outputs.append(output)
                if output == 3 { try input.send(.stop) }
            })
        #expect(result == -1)
        #expect(outputs == [1, 2, 3, -1])
    }
}
