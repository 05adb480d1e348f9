import Testing
import Transducers

@Suite("PipedTransducer")
struct PipedTransducerTests {
    /// Cuts text into words, one immediate event each.
    enum Words: EffectTransducer, InitialState {
        struct State: Terminable, Codable, Hashable {
            var count = 0
            var isDone = false
            var isTerminal: Bool { isDone }
        }
        enum Event: Codable, Hashable { case text(String), word(String), end }
        typealias Output = String?

        static var initialState: State { State() }

        static func update(_ state: inout State, event: Event) -> (Effect?, String?) {
            switch event {
            case .text(let text):
                return (.events(text.split(separator: " ").map { .word(String($0)) }), nil)
            case .word(let word):
                state.count += 1
                return (nil, word)
            case .end:
                state.isDone = true
                return (nil, "end")
            }
        }
    }

    /// Takes words, until one is "stop".
    enum Page: Transducer, InitialState {
        struct State: Terminable, Codable, Hashable {
            var words: [String] = []
            var isTerminal: Bool { words.last == "stop" }
        }
        enum Event: Codable, Hashable { case take(String) }

        static var initialState: State { State() }

        static func update(_ state: inout State, event: Event) throws -> Int {
            switch event {
            case .take("bad"): throw Rejection("mind your words")
            case .take(let word): state.words.append(word)
            }
            return state.words.count
        }
    }

    enum Typist: PipedTransducer, InitialState {
        typealias First = Words
        typealias Second = Page
        static func pipe(_ word: String?) -> Page.Event? { word.map { .take($0) } }
    }

    enum Careful: PipedTransducer, InitialState {
        typealias First = Words
        typealias Second = Page
        typealias Rule = EndsWithAll
        static func pipe(_ word: String?) -> Page.Event? { word.map { .take($0) } }
    }

    static func run<Machine: PipedTransducer>(
        _ machine: Machine.Type, _ events: Machine.Event...
    ) async throws -> (Machine.State, [Machine.Output], RunReport)
    where
        Machine.First: InitialState, Machine.Second: InitialState,
        Machine.Env == PairEnv<Void, Void>, Machine.Output: Sendable, Machine.Event: Sendable
    {
        let proxy = Machine.Proxy()
        for event in events { try proxy.channel.send(event) }
        let storage = Parts.Kept(Machine.initialState)
        let outputs = Parts.Outputs<Machine.Output>()
        _ = try await Machine.run(
            storage: storage, proxy: proxy, env: PairEnv(),
            output: Callback { await outputs.append($0) })
        return (storage.value, await outputs.values, proxy.report)
    }

    @Test func `an output of the first is an event of the second in the same step`() async throws {
        let (state, outputs, _) = try await Self.run(
            Typist.self, .first(.text("to be")), .second(.take("stop")))
        #expect(state.first.count == 2)
        #expect(state.second.words == ["to", "be", "stop"])
        // The second has its output before the first continues.
        #expect(
            outputs == [
                .first(nil), .first("to"), .second(1), .first("be"), .second(2), .second(3),
            ])
    }

    @Test func `a refusal of the second undoes the first`() async throws {
        let (state, outputs, report) = try await Self.run(
            Typist.self, .first(.text("a bad word")), .first(.text("stop")))
        #expect(state.first.count == 1)
        #expect(state.second.words == ["stop"])
        #expect(outputs == [.first(nil), .first("stop"), .second(1)])
        #expect(report.refusedCount == 1)
    }

    @Test func `by default it ends with the second, also in the midst of a step`() async throws {
        let (state, _, _) = try await Self.run(
            Typist.self, .first(.text("please stop now")))
        #expect(state.second.words == ["please", "stop"])
        #expect(state.first.count == 2)
    }

    @Test func `the last output of the first reaches the second`() async throws {
        let (state, _, report) = try await Self.run(
            Typist.self, .first(.end), .first(.end), .second(.take("stop")))
        #expect(state.second.words == ["end", "stop"])
        #expect(report.refusedCount == 1)
    }

    @Test func `with all, outputs for a second that has ended are dropped`() async throws {
        let (state, outputs, _) = try await Self.run(
            Careful.self, .second(.take("stop")), .first(.text("more words")), .first(.end))
        #expect(state.second.words == ["stop"])
        #expect(state.first.count == 2)
        #expect(outputs.last == .first("end"))
    }

    @Test func `outputs that are the other's events need no closure`() async throws {
        enum Echo: Transducer, InitialState {
            struct State: NonTerminal {}
            typealias Event = Page.Event
            static var initialState: State { State() }
            static func update(_ state: inout State, event: Event) -> Page.Event { event }
        }
        typealias Line = Piped<Echo, Page>
        let result = try await Line.run(
            initialState: Line.initialState,
            proxy: Line.Proxy(initialEvent: .first(.take("stop"))))
        #expect(result == .second(1))
    }

    @Test func `a pipe is hosted as one instance, one step`() throws {
        var typist = try Parts.Hosted(
            Definition(Typist.self, named: "typist", version: "1.0.0"))
        let step = try typist.apply(#"{"type":"first","value":{"type":"text","value":"a b"}}"#)
        #expect(
            step.outputs == [
                #"{"type":"first","value":"a"}"#, #"{"type":"second","value":1}"#,
                #"{"type":"first","value":"b"}"#, #"{"type":"second","value":2}"#,
            ])
        #expect(
            step.state
                == #"{"first":{"count":2,"isDone":false},"second":{"words":["a","b"]}}"#)
    }

    @Test func `a side with effects may end in a host without effects`() throws {
        var careful = try Parts.Hosted(
            Definition(Careful.self, named: "careful", version: "1.0.0"))
        let step = try careful.apply(#"{"type":"first","value":"end"}"#)
        #expect(
            step.state == #"{"first":{"count":0,"isDone":true},"second":{"words":["end"]}}"#)
    }
}
