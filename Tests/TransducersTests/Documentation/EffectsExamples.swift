import Testing
import TransducerTesting
import Transducers

/// The examples of the article on effects.
@Suite("Article: Effects", .timeLimit(.minutes(1)))
struct EffectsExamples {
    enum Search: EffectTransducer {
        struct State: NonTerminal, Equatable {
            var text = ""
            var hits: [String] = []
        }
        enum Event: Equatable { case typed(String), found([String]), failed, clear }
        struct Env: Sendable {
            var find: @Sendable (String) async throws -> [String]
        }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch event {
            case .typed(let text):
                state.text = text
                return .run(id: "find") { env, context in
                    try await context.sleep(for: .milliseconds(300))
                    return .found(try await env.find(text))
                }
            case .found(let hits):
                state.hits = hits
                return nil
            case .failed:
                state.hits = []
                return nil
            case .clear:
                state = State()
                return .cancel(id: "find")
            }
        }

        static func effectFailed(_ failure: EffectFailure) -> Event? { .failed }
    }

    enum Letters: EffectTransducer {
        struct State: NonTerminal { var text = "" }
        enum Event { case start, a, a1, b }

        static func update(_ state: inout State, event: Event) -> Effect? {
            if event != .start { state.text += "\(event) " }
            switch event {
            case .start: return .events([.a, .b])
            case .a: return .event(.a1)
            case .a1, .b: return nil
            }
        }
    }

    enum Player: EffectTransducer {
        enum State: Terminable {
            case on, off
            var isTerminal: Bool { self == .off }
        }
        enum Event { case restart, stop, off }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch event {
            case .restart: return EffectsExamples.restarted
            case .stop: return EffectsExamples.stopped
            case .off:
                state = .off
                return nil
            }
        }
    }

    static var play: Player.Effect {
        .fireAndForget(id: "song") { _, context in try await context.sleep(for: .seconds(60)) }
    }

    static let restarted = Player.Effect.parallel(.cancel(id: "song"), play)
    static let stopped = Player.Effect.parallel(play, .cancel(id: "song"))

    struct Downloads: EffectQueue {
        var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 2, .suspendNew) }
        var effectQueueDelay: EffectQueueDelay { .constant(.milliseconds(100)) }
    }

    struct NotFound: Error {}

    @Test func `fast typing searches once`() async {
        let env = Search.Env { text in ["\(text)s"] }
        let search = TestTransducer<Search>(initialState: .init(), env: env)
        await search.send(.typed("a")) { $0.text = "a" }
        search.expectEffect(id: "find")
        await search.advance(by: .milliseconds(200))
        await search.send(.typed("an")) { $0.text = "an" }
        search.expectEffect(id: "find")
        await search.advance(by: .milliseconds(300))
        await search.receive(.found(["ans"])) { $0.hits = ["ans"] }
        await search.finish()
    }

    @Test func `a search that was cleared finds nothing`() async {
        let search = TestTransducer<Search>(initialState: .init(), env: .init { [$0] })
        await search.send(.typed("a")) { $0.text = "a" }
        search.expectEffect(id: "find")
        await search.send(.clear) { $0.text = "" }
        await search.advance(by: .seconds(1))
        await search.finish()
    }

    @Test func `the machine gets a failure as an event`() async {
        let env = Search.Env { _ in throw NotFound() }
        let search = TestTransducer<Search>(
            initialState: .init(text: "", hits: ["old"]), env: env)
        await search.send(.typed("a")) { $0.text = "a" }
        search.expectEffect(id: "find")
        await search.advance(by: .milliseconds(300))
        await search.receive(.failed) { $0.hits = [] }
        await search.finish()
    }

    @Test func `immediate events are applied in order and depth-first`() async throws {
        let driver = SynchronousDriver(of: Letters.self, initialState: .init())
        try driver.send(.start)
        #expect(driver.state.text == "a a1 b ")
    }

    @Test func `the order of two effects decides`() async {
        let player = TestTransducer<Player>(initialState: .on)
        await player.send(.stop)
        player.expectEffect(id: "song")
        await player.expectNoEffects()
        await player.send(.restart)
        player.expectEffect(id: "song")
        #expect(player.liveEffects.count == 1)
        await player.send(.off) { $0 = .off }
        await player.finish()
    }

    @Test func `a queue is a value`() {
        #expect(Downloads() == Downloads())
        #expect(Downloads().effectQueuePolicy == .runOldest(maxCount: 2, .suspendNew))
    }

    @Test func `a sender waits for all that follows`() async {
        let env = Search.Env { ["\($0)s"] }
        let host = ActorHost(of: Search.self, initialState: Search.State(), env: env)
        let results = await host.send(.typed("oak"), tracking: .tree)
        await results.completion()
        #expect(await host.state.hits == ["oaks"])
    }
}
