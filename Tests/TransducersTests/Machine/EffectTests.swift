import Testing
import Transducers

/// Applies letters: each capital letter is an effect of its own.
enum Letters: EffectTransducer {
    struct State: Terminable, Equatable {
        var text = ""
        var isTerminal: Bool { text.hasSuffix(".") }
    }
    typealias Event = String
    typealias Output = String

    static func update(_ state: inout State, event: String) -> (Effect?, String) {
        state.text += event
        let effect: Effect? =
            switch event {
            case "(": .events(["a", "b", "c"])
            case "a": .event("1")
            case "O": Effect(id: "o") { _, input in try input.send("o") }
            case "A": Effect(action: { _ in ["x", "y"] })
            case "T": .after(.milliseconds(5), "t")
            case "F": Effect(id: "f", operation: { _, _ in throw Oops() })
            case "S":
                .sequence(
                    Effect { _, input in try input.send("s1") },
                    .event("s2"),
                    Effect { _, input in try input.send("s3") })
            default: nil
            }
        return (effect, state.text)
    }
    struct Oops: Error {}
}

@Suite("Effects of a run")
struct EffectTests {
    func text(_ events: String..., then last: String = ".") async throws -> String {
        let proxy = Letters.Proxy(bufferSize: 100)
        for event in events { try proxy.send(event) }
        let options = RunOptions<Letters>(trace: { record in
            if case .effectEnded = record { _ = try? proxy.send(last) }
            if case .effectFailed = record { _ = try? proxy.send(last) }
        })
        return try await Letters.run(
            initialState: .init(), proxy: proxy, env: (), options: options)
    }

    @Test func `immediate events run in order, depth-first`() async throws {
        let proxy = Letters.Proxy()
        try proxy.send("(")
        try proxy.send(".")
        #expect(try await Letters.run(initialState: .init(), proxy: proxy) == "(a1bc.")
    }

    @Test func `an operation's event comes back`() async throws {
        #expect(try await text("O") == "Oo.")
    }

    @Test func `an action's events come before those that wait`() async throws {
        let proxy = Letters.Proxy()
        try proxy.send("A")
        try proxy.send(".")
        #expect(try await Letters.run(initialState: .init(), proxy: proxy) == "Axy.")
    }

    @Test func `a timer's event comes`() async throws {
        #expect(try await text("T") == "Tt.")
    }

    @Test func `a failing effect harms no other`() async throws {
        #expect(try await text("F") == "F.")
    }

    @Test func `a sequence waits for each part`() async throws {
        let proxy = Letters.Proxy(initialEvent: "S")
        var ended = 0
        let options = RunOptions<Letters>(trace: { record in
            if case .effectEnded = record { ended += 1; if ended == 2 { _ = try? proxy.send(".") } }
        })
        #expect(
            try await Letters.run(
                initialState: .init(), proxy: proxy, options: options) == "Ss1s2s3.")
    }
}
