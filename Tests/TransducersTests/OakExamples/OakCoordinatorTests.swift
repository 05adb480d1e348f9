import Testing
import Transducers

/// A machine whose events are the outputs of other machines, which it starts by its effects.
@Suite("Coordinators", .timeLimit(.minutes(1)))
struct OakCoordinatorTests {
    enum Login: Transducer {
        enum State: Terminable {
            case asking(triesLeft: Int), done
            var isTerminal: Bool { if case .done = self { true } else { false } }
        }
        enum Event: Sendable { case password(String) }
        enum Output: Equatable, Sendable { case wrong(triesLeft: Int), user(String), locked }

        static func update(_ state: inout State, event: Event) -> Output {
            guard case .asking(let tries) = state else { return .locked }
            switch event {
            case .password("sesame"):
                state = .done
                return .user("Ali")
            case .password where tries > 1:
                state = .asking(triesLeft: tries - 1)
                return .wrong(triesLeft: tries - 1)
            case .password:
                state = .done
                return .locked
            }
        }
    }

    enum Dashboard: Transducer {
        struct State: Terminable {
            var pages = 0
            var isTerminal = false
        }
        enum Event: Sendable { case open, logOut }
        enum Output: Equatable, Sendable { case opened(Int), closed }

        static func update(_ state: inout State, event: Event) -> Output {
            switch event {
            case .open:
                state.pages += 1
                return .opened(state.pages)
            case .logOut:
                state.isTerminal = true
                return .closed
            }
        }
    }

    /// The whole application: one child at a time.
    enum App: EffectTransducer {
        enum State: Terminable, Equatable {
            case launching
            case loggedOut
            case loggedIn(String, pages: Int)
            case over(String)
            var isTerminal: Bool { if case .over = self { true } else { false } }
        }
        enum Event: Sendable {
            case launch
            case login(Login.Output)
            case dashboard(Dashboard.Output)
        }
        struct Env: Sendable {
            var tries = 3
            let login = Login.Proxy()
            let dashboard = Dashboard.Proxy()
        }

        static func update(_ state: inout State, event: Event) -> Self.Effect? {
            switch (state, event) {
            case (.launching, .launch):
                state = .loggedOut
                return logIn()
            case (.loggedOut, .login(.user(let name))):
                state = .loggedIn(name, pages: 0)
                return showDashboard()
            case (.loggedOut, .login(.locked)):
                state = .over("locked")
                return nil
            case (.loggedIn(let name, _), .dashboard(.opened(let pages))):
                state = .loggedIn(name, pages: pages)
                return nil
            case (.loggedIn(let name, let pages), .dashboard(.closed)):
                state = .over("\(name) read \(pages)")
                return nil
            default:
                return nil
            }
        }

        static func logIn() -> Self.Effect {
            Effect(id: "login") { env, input in
                try await Login.run(
                    initialState: .asking(triesLeft: env.tries), proxy: env.login,
                    output: Callback { try input.send(.login($0)) })
            }
        }

        static func showDashboard() -> Self.Effect {
            Effect(
                id: "dashboard",
                isolatedOperation: { env, input, isolated in
                    try await Dashboard.run(
                        initialState: .init(), proxy: env.dashboard,
                        output: Callback { try input.send(.dashboard($0)) },
                        systemActor: isolated)
                })
        }
    }

    final class Host { var app = App.State.launching }

    @MainActor
    @Test func `the outputs of its children are its events`() async throws {
        let (host, env) = (Host(), App.Env())
        for word in ["open", "sesame"] { try env.login.send(.password(word)) }
        for event in [Dashboard.Event.open, .open, .logOut] { try env.dashboard.send(event) }
        try await App.run(
            state: \.app, host: host, proxy: .init(initialEvent: .launch), env: env)
        #expect(host.app == .over("Ali read 2"))
    }

    @MainActor
    @Test func `a child that fails its user ends its parent`() async throws {
        let (host, env) = (Host(), App.Env())
        for word in ["a", "b", "c"] { try env.login.send(.password(word)) }
        try await App.run(
            state: \.app, host: host, proxy: .init(initialEvent: .launch), env: env)
        #expect(host.app == .over("locked"))
    }

    @MainActor
    @Test func `cancelling it ends the child that runs`() async throws {
        let (host, env) = (Host(), App.Env(tries: .max))
        let proxy = App.Proxy(initialEvent: .launch)
        let task = Task {
            try await App.run(state: \.app, host: host, proxy: proxy, env: env)
        }
        await until { host.app == .loggedOut }
        try env.login.send(.password("wrong"))
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await task.value }
        await until {
            do throws(TransducerError) {
                try env.login.send(.password("wrong"))
                return false
            } catch {
                return error == .ended
            }
        }
    }

    /// A slow reader, which a fast writer waits for.
    enum Reader: Transducer {
        struct State: Terminable {
            var sum = 0
            var isTerminal: Bool { sum >= 10 }
        }
        typealias Event = Int
        typealias Proxy = SyncSuspendingProxy<Int>
        static func update(_ state: inout State, event: Int) -> Int {
            state.sum += event
            return state.sum
        }
    }

    enum Writer: Transducer {
        struct State: Terminable {
            var number = 0
            var isTerminal: Bool { number == 4 }
        }
        enum Event { case next }
        static func update(_ state: inout State, event: Event) -> Int {
            state.number += 1
            return state.number
        }
    }

    @Test func `a child's outputs wait for a parent that is slow`() async throws {
        let (reader, writer) = (Reader.Proxy(), Writer.Proxy())
        for _ in 1...4 { try writer.send(.next) }
        let order = Notes<String>()
        async let sum = Reader.run(
            initialState: .init(), proxy: reader,
            output: Callback { sum in
                for _ in 1...5 { await Task.yield() }
                order.add("read \(sum)")
            })
        let input = reader.input
        let last = try await Writer.run(
            initialState: .init(), proxy: writer,
            output: Callback { number in
                order.add("write \(number)")
                await input.send(number)
            })
        #expect(last == 4)
        #expect(try await sum == 10)
        #expect(
            order.values == [
                "write 1", "read 1", "write 2", "read 3", "write 3", "read 6", "write 4",
                "read 10",
            ])
    }
}
