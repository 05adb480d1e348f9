import Testing
import Transducers

/// Signing in once, however often the button is tapped.
@Suite("Signing in", .timeLimit(.minutes(1)))
struct OakSignInTests {
    struct User: Equatable, Sendable { var name: String }
    struct WrongPassword: Error {}

    enum Door: EffectTransducer {
        enum State: Terminable {
            case idle
            case signingIn
            case signedIn(User)
            case failed(any Error)

            var isTerminal: Bool {
                switch self {
                case .signedIn, .failed: return true
                case .idle, .signingIn: return false
                }
            }
        }

        enum Event {
            case tapped
            case succeeded(User)
            case failed(any Error)
        }

        struct Env: Sendable {
            var signIn: @Sendable () async throws -> User
        }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch (state, event) {
            case (.idle, .tapped):
                state = .signingIn
                return signInEffect()
            case (.signingIn, .succeeded(let user)):
                state = .signedIn(user)
                return nil
            case (.signingIn, .failed(let error)):
                state = .failed(error)
                return nil
            case (.signingIn, .tapped), (.idle, _), (.signedIn, _), (.failed, _):
                return nil
            }
        }

        static func signInEffect() -> Effect {
            Effect(id: "sign-in") { env, input in
                do {
                    let user = try await env.signIn()
                    try input.send(.succeeded(user))
                } catch {
                    try input.send(.failed(error))
                }
            }
        }
    }

    final class Host { var door = Door.State.idle }

    @MainActor
    @Test func `two taps make one request`() async throws {
        let requests = Notes<Int>()
        let (host, proxy) = (Host(), Door.Proxy())
        let env = Door.Env {
            requests.add(1)
            return User(name: "Ada")
        }
        for _ in 1...5 { try proxy.send(.tapped) }
        try await Door.run(state: \.door, host: host, proxy: proxy, env: env)
        guard case .signedIn(let user) = host.door else { return #expect(Bool(false)) }
        #expect(user == User(name: "Ada"))
        #expect(requests.values.count == 1)
    }

    @MainActor
    @Test func `a failure is an event like any other`() async throws {
        let host = Host()
        try await Door.run(
            state: \.door, host: host, proxy: .init(initialEvent: .tapped),
            env: .init { throw WrongPassword() })
        guard case .failed(let error) = host.door else { return #expect(Bool(false)) }
        #expect(error is WrongPassword)
    }

    @Test func `every pair of state and event can be tried by itself`() {
        let user = User(name: "Bo")
        let states: [Door.State] = [.idle, .signingIn, .signedIn(user), .failed(WrongPassword())]
        let events: [Door.Event] = [.tapped, .succeeded(user), .failed(WrongPassword())]
        var withEffect = 0
        for start in states {
            for event in events {
                var state = start
                let effect = Door.update(&state, event: event)
                if effect != nil { withEffect += 1 }
                if start.isTerminal { #expect(state.isTerminal) }
            }
        }
        #expect(withEffect == 1)
    }
}
