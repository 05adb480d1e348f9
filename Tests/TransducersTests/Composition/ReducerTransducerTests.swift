import OrderedJSON
import Testing
import Transducers

@Suite("ReducerTransducer")
struct ReducerTransducerTests {
    /// Counts its events and ends at the third.
    enum Clicks: ReducerTransducer, InitialState {
        struct State: Terminable, Codable {
            var clicks = 0
            var log: [String] = []
            var isTerminal: Bool { clicks == 3 }
        }
        enum Event: String, Codable { case click, double, jam }
        typealias Output = String?

        static var initialState: State { State() }

        static let count = Reducer<Clicks> { state, event in
            guard event != .double else { return .events([.click, .click]) }
            state.clicks += 1
            return .empty
        }
        static let log = Reducer<Clicks>.withOutput { state, event in
            if event == .jam { throw Rejection("jammed") }
            state.log.append("\(event) \(state.clicks)")
            return (.empty, event == .double ? nil : "clicked \(state.clicks)")
        }
        static let reducer = count + log
    }

    @Test func `a reducer runs as a machine`() async throws {
        let proxy = Clicks.Proxy()
        try proxy.send(.double)
        try proxy.send(.click)
        #expect(
            try await Clicks.run(initialState: .init(), proxy: proxy) == "clicked 3")
    }

    @Test func `if one reducer throws, the whole step is refused`() async throws {
        let proxy = Clicks.Proxy()
        for event: Clicks.Event in [.jam, .click, .jam, .click, .click] { try proxy.send(event) }
        // `jam` was counted by the first reducer before the second refused it.
        #expect(
            try await Clicks.run(initialState: .init(), proxy: proxy) == "clicked 3")
        #expect(proxy.report.refusedCount == 2)
    }

    @Test func `a reducer is hosted as a machine`() throws {
        let definition = Definition(Clicks.self, named: "clicks", version: "1.0.0")
        var instance = try definition.machine.makeInstance()
        let limits = StepLimits(
            immediateEvents: 10, outputs: 10, outputBytes: 1_000, stateBytes: 1_000)
        var step = StepBuffer()
        let document = try JSONDocument(parsing: Array(#""double""#.utf8))
        let event = try definition.machine.decodeEvent(document, at: document.root)
        try instance.apply(event, in: StepContext(limits: limits), into: &step)
        #expect(
            String(decoding: step.state.bytes, as: UTF8.self)
                == #"{"clicks":2,"log":["double 0","click 1","click 2"]}"#)
        #expect(
            step.outputs.map { String(decoding: $0.data, as: UTF8.self) }
                == [#""clicked 1""#, #""clicked 2""#])
    }

    @Test func `outputs of one step are merged as their type has it`() throws {
        enum Lists: ReducerTransducer {
            struct State: NonTerminal { var seen = 0 }
            typealias Event = Int
            typealias Output = [Int]
            static let one = Reducer<Lists>.withOutput { _, event in (.empty, [event]) }
            static let reducer = one + one.mapOutput { $0.map { $0 * 2 } } + .empty
        }
        enum Sums: ReducerTransducer {
            struct State: NonTerminal { var seen = 0 }
            typealias Event = Int
            typealias Output = Int
            static let one = Reducer<Sums>.withOutput { _, event in (.empty, event) }
            static let reducer = one + one
            static func merge(_ outputs: [Int]) -> Int { outputs.reduce(0, +) }
        }
        enum Lasts: ReducerTransducer {
            struct State: NonTerminal { var seen = 0 }
            typealias Event = Int
            typealias Output = Int?
            static let one = Reducer<Lasts>.withOutput { _, event in (.empty, event) }
            static let reducer = one + one.mapOutput { $0.map { $0 + 1 } }
        }
        var lists = Lists.State()
        #expect(try Lists.step(&lists, 3).1 == [3, 6])
        var sums = Sums.State()
        #expect(try Sums.step(&sums, 3).1 == 6)
        var lasts = Lasts.State()
        #expect(try Lasts.step(&lasts, 3).1 == 4)
    }

    @Test func `no output of any reducer is an optional's nil`() throws {
        enum Quiet: ReducerTransducer {
            struct State: NonTerminal { var seen = 0 }
            typealias Event = Int
            typealias Output = Int?
            static let reducer = Reducer<Quiet>.empty
        }
        var state = Quiet.State()
        #expect(try Quiet.step(&state, 3).1 == .none)
    }

    @Test func `a step of reducers without effects has none`() throws {
        var state = Clicks.State()
        #expect(try Clicks.step(&state, .click).0 == nil)
        #expect(try Clicks.step(&state, .double).0 != nil)
    }

    @Test func `states and events need not be sendable`() async throws {
        final class Box { var number = 0 }
        enum Loose: ReducerTransducer {
            struct State: Terminable {
                var boxes: [Box] = []
                var isTerminal: Bool { boxes.count == 2 }
            }
            typealias Event = Box
            static let reducer =
                Reducer<Loose> { state, event in
                    state.boxes.append(event)
                    return .empty
                }
                + Reducer { state, event in
                    event.number = state.boxes.count
                    return .empty
                }
        }
        let storage = ReducerScopingTests.Kept(Loose.State())
        let proxy = Loose.Proxy()
        try proxy.send(Box())
        try proxy.send(Box())
        try await Loose.run(storage: storage, proxy: proxy)
        #expect(storage.value.boxes.map(\.number) == [1, 2])
    }
}
