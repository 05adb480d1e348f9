import Transducers

/// Signing in: one attempt at a time; the machine gets failures as events.
enum SignIn: EffectTransducer {
    enum State: NonTerminal, Equatable {
        case out
        case asking(String)
        case signedIn(String)
    }
    enum Event { case signIn(String, password: String), accepted, failed, signOut }
    enum Output { case asking, welcome(String), sorry, goodbye }

    /// The service that effects call; in tests, a fake.
    struct Env: Sendable {
        var check: @Sendable (_ name: String, _ password: String) async throws -> Void
    }

    static func update(
        _ state: inout State, event: Event
    ) throws -> (Self.Effect?, Output) {
        switch (state, event) {
        case (.out, .signIn(let name, let password)):
            state = .asking(name)
            let check = Effect.run(id: "check") { env, _ in
                try await env.check(name, password)
                return .accepted
            }
            return (check, .asking)
        case (.asking(let name), .accepted):
            state = .signedIn(name)
            return (nil, .welcome(name))
        case (.asking, .failed):
            state = .out
            return (nil, .sorry)
        case (.asking, .signOut), (.signedIn, .signOut):
            state = .out
            return (.cancel(id: "check"), .goodbye)
        case (.asking, .signIn): throw Rejection("one attempt at a time", accepts: ["signOut"])
        case (.signedIn, .signIn): throw Rejection("signed in already", accepts: ["signOut"])
        default: throw Rejection("nobody is signed in", accepts: ["signIn"])
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? { .failed }
}

struct WrongPassword: Error {}

@main struct Program {
    static func main() async throws {
        let env = SignIn.Env { name, password in
            // The server never answers the user "slow".
            if name == "slow" { try await Task.sleep(for: .seconds(60)) }
            guard password == "acorn" else { throw WrongPassword() }
        }
        let driver = SynchronousDriver(of: SignIn.self, initialState: .out, env: env)

        // A tracked send reports everything that follows from the event.
        for password in ["oak", "acorn"] {
            print("signing in with", password)
            let results = driver.send(.signIn("ann", password: password), tracking: .tree)
            for await result in results {
                switch result {
                case .success(let output): print("  output:", output)
                case .failure(let error): print("  failure:", error)
                }
            }
            print("  state:", driver.state)
        }

        // A plain send throws the refusal.
        do {
            try driver.send(.signIn("bob", password: "acorn"))
        } catch let refusal as Rejection {
            print("refused:", refusal.reason)
        }
        try driver.send(.signOut)

        // Cancelling a tracked send cancels its running effects, and keeps the state.
        let attempt = driver.send(.signIn("slow", password: "acorn"), tracking: .tree)
        attempt.cancel()
        await attempt.completion()
        print("cancelled:", attempt.isCancelled, driver.state)
        try driver.send(.signOut)
        print("at the end", driver.state)
    }
}
