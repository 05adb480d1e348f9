public import Transducers

/// Signs somebody in once they are confirmed from outside: whoever holds the token of the effect
/// `code`, because it was sent to them, completes it.
///
/// Only the effect can confirm: the events that come of it can't be sent by anybody else.
public enum SignIn: EffectTransducer, InitialState {
    /// How long a confirmation may take: 10 minutes.
    public static let confirmationTime = Duration.seconds(600)

    /// Where signing in stands.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// Nobody is signed in.
        case signedOut = "signed_out"
        /// Somebody wants to be, and is to be confirmed.
        case waiting
        /// Somebody is signed in.
        case signedIn = "signed_in"

        /// The events that others may send in this status.
        var accepts: [String] {
            switch self {
            case .signedOut: ["request"]
            case .waiting: ["request", "sign_out"]
            case .signedIn: ["sign_out"]
            }
        }
    }

    /// Who it is about; this machine never ends.
    public struct State: NonTerminal, Codable, Equatable, Sendable {
        /// Where it stands.
        public var status: Status = .signedOut
        /// Who wants to be signed in, or is.
        public var user: String?

        /// Nobody.
        public init() {}
    }

    /// What can happen.
    public enum Event: Codable, Equatable, Sendable {
        /// Somebody wants to be signed in. Whoever wanted it before doesn't any more, and the old
        /// token is void.
        case request(user: String)
        /// Leaves, or doesn't want to be signed in any more.
        case signOut
        /// The token was used; `by` says by what, such as `"mail"`. Comes from the effect only.
        case confirmed(by: String)
        /// The token was refused, or not used in time. Comes from the effect only.
        case failed(reason: String)

        private enum CodingKeys: String, CodingKey {
            case request
            case signOut = "sign_out"
            case confirmed
            case failed
        }

        var name: String {
            switch self {
            case .request: "request"
            case .signOut: "sign_out"
            case .confirmed: "confirmed"
            case .failed: "failed"
            }
        }
    }

    /// What others learn.
    public enum Output: Codable, Equatable, Sendable {
        /// A confirmation was asked for.
        case asked(user: String)
        /// Somebody is signed in.
        case signedIn(user: String, by: String)
        /// Somebody isn't.
        case failed(user: String, reason: String)
        /// Nobody is any more.
        case signedOut

        private enum CodingKeys: String, CodingKey {
            case asked
            case signedIn = "signed_in"
            case failed
            case signedOut = "signed_out"
        }
    }

    /// What only the effect says.
    public static let internalEvents = ["confirmed", "failed"]

    /// Nobody is signed in.
    public static var initialState: State { State() }

    /// Asks for a confirmation, and signs in with it.
    ///
    /// - Throws: `Rejection` for an event that the status doesn't take, and a user without name.
    public static func update(
        _ state: inout State, event: Event
    ) throws -> (Self.Effect?, Output) {
        switch (state.status, event, state.user) {
        case (.signedOut, .request(let user), _), (.waiting, .request(let user), _):
            guard !user.isEmpty else { throw refusal("a user has a name", state) }
            state.status = .waiting
            state.user = user
            let code = Effect.ask(id: "code", expires: confirmationTime, then: "confirmed")
            return (code, .asked(user: user))
        case (.waiting, .confirmed(let by), let user?):
            state.status = .signedIn
            return (nil, .signedIn(user: user, by: by))
        case (.waiting, .failed(let reason), let user?):
            state = State()
            return (nil, .failed(user: user, reason: reason))
        case (.waiting, .signOut, _), (.signedIn, .signOut, _):
            state = State()
            return (.cancel(id: "code"), .signedOut)
        default:
            throw refusal(
                "a sign-in that is \(state.status.rawValue) doesn't take \(event.name)", state)
        }
    }

    /// The answer to what was asked: `{"by":"mail"}`.
    ///
    /// - Throws: for another one; it is refused, and the token still good.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        let answer: Answer = try result.decoded()
        return .confirmed(by: answer.by)
    }

    /// The refusal, or that no answer came in time.
    public static func effectFailed(_ failure: EffectFailure) -> Event? {
        .failed(reason: "\(failure.error)")
    }

    private struct Answer: Decodable {
        var by: String
    }

    private static func refusal(_ reason: String, _ state: State) -> Rejection {
        Rejection(reason, accepts: state.status.accepts)
    }
}
