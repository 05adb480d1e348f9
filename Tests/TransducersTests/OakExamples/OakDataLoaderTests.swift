import Testing
import Transducers

/// Loading from a cache or else from the network. What came from the network is put into the
/// cache by the very step that ends the machine.
@Suite("A data loader", .timeLimit(.minutes(1)))
struct OakDataLoaderTests {
    struct Offline: Error {}

    actor Cache {
        private(set) var pages: [String] = []
        init(_ pages: [String] = []) { self.pages = pages }
        func first() -> String? { pages.first }
        func store(_ page: String) { pages.append(page) }
    }

    enum Loader: EffectTransducer {
        struct Env: Sendable {
            let fetch: @Sendable () async throws -> String
            let cache: Cache
        }

        enum State: Terminable {
            case idle
            case loading
            case loaded(String)
            case failed(any Error)

            var isTerminal: Bool {
                switch self {
                case .loaded, .failed: true
                default: false
                }
            }
        }

        enum Event {
            case load
            case cacheChecked(String?)
            case received(String)
            case loadFailed(any Error)
        }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch (state, event) {
            case (.idle, .load):
                state = .loading
                return checkCache()
            case (.loading, .cacheChecked(.some(let page))):
                state = .loaded(page)
                return nil
            case (.loading, .cacheChecked(.none)):
                return fetch()
            case (.loading, .received(let page)):
                state = .loaded(page)
                return store(page)
            case (.loading, .loadFailed(let error)):
                state = .failed(error)
                return nil
            default:
                return nil
            }
        }

        static func checkCache() -> Effect {
            Effect(id: "cache") { env, input in
                try input.send(.cacheChecked(await env.cache.first()))
            }
        }

        static func fetch() -> Effect {
            Effect(id: "network") { env, input in
                do {
                    try input.send(.received(try await env.fetch()))
                } catch {
                    try input.send(.loadFailed(error))
                }
            }
        }

        static func store(_ page: String) -> Effect {
            Effect(action: { env in
                await env.cache.store(page)
                return []
            })
        }
    }

    final class Host { var loader = Loader.State.idle }

    @MainActor
    func load(_ env: Loader.Env) async throws -> Loader.State {
        let host = Host()
        try await Loader.run(
            state: \.loader, host: host, proxy: .init(initialEvent: .load), env: env)
        return host.loader
    }

    @MainActor
    @Test func `cached data isn't fetched`() async throws {
        let env = Loader.Env(
            fetch: {
                Issue.record("fetched")
                return "network"
            }, cache: Cache(["cached"]))
        guard case .loaded(let page) = try await load(env) else {
            return #expect(Bool(false))
        }
        #expect(page == "cached")
    }

    @MainActor
    @Test func `fetched data is in the cache when run returns`() async throws {
        let cache = Cache()
        let env = Loader.Env(fetch: { "page 1" }, cache: cache)
        guard case .loaded("page 1") = try await load(env) else { return #expect(Bool(false)) }
        #expect(await cache.pages == ["page 1"])
    }

    @MainActor
    @Test func `a failed fetch is an error, and nothing is stored`() async throws {
        let cache = Cache()
        let env = Loader.Env(fetch: { throw Offline() }, cache: cache)
        guard case .failed(let error) = try await load(env) else {
            return #expect(Bool(false))
        }
        #expect(error is Offline)
        #expect(await cache.pages.isEmpty)
    }
}
