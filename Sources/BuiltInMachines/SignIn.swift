public import Transducers

/// Signs a user in after a confirmation from outside: the holder of the token of effect `code`
/// completes it.
///
/// Only the effect can confirm: clients can't send its events.
public enum SignIn: EffectTransducer, InitialState {
    /// How long a confirmation may take: 10 minutes.
    public static let confirmationTime = Duration.seconds(600)

    /// The status of the sign-in.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// Nobody is signed in.
        case signedOut = "signed_out"
        /// A user has asked to sign in and isn't confirmed yet.
        case waiting
        /// A user is signed in.
        case signedIn = "signed_in"

        /// The events that clients may send in this status.
        var accepts: [String] {
            switch self {
            case .signedOut: ["request"]
            case .waiting: ["request", "sign_out"]
            case .signedIn: ["sign_out"]
            }
        }
    }

    /// The user and the status; this machine never ends.
    public struct State: NonTerminal, Codable, Equatable, Sendable {
        /// The status.
        public var status: Status = .signedOut
        /// The user that waits or is signed in.
        public var user: String?

        /// Nobody is signed in.
        public init() {}
    }

    /// The events of a sign-in.
    public enum Event: Codable, Equatable, Sendable {
        /// A user asks to sign in. This replaces an earlier request and voids its token.
        case request(user: String)
        /// Signs out, or withdraws the request.
        case signOut
        /// The token was used, `by` a channel such as `"mail"`. Comes from the effect only.
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

    /// The outputs of a sign-in.
    public enum Output: Codable, Equatable, Sendable {
        /// A confirmation was asked for.
        case asked(user: String)
        /// A user is signed in.
        case signedIn(user: String, by: String)
        /// The sign-in failed.
        case failed(user: String, reason: String)
        /// The user is signed out.
        case signedOut

        private enum CodingKeys: String, CodingKey {
            case asked
            case signedIn = "signed_in"
            case failed
            case signedOut = "signed_out"
        }
    }

    /// Events that only the effect may send.
    public static let internalEvents = ["confirmed", "failed"]

    /// Nobody is signed in.
    public static var initialState: State { State() }

    /// Asks for a confirmation, and signs in with it.
    ///
    /// - Throws: `Rejection` for an event that the status doesn't accept, and for a user without
    ///   a name.
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

    /// Reads the answer, such as `{"by":"mail"}`.
    ///
    /// - Throws: `JSONDecodingError` for any other answer; the token then stays valid.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        let answer: Answer = try result.decoded()
        return .confirmed(by: answer.by)
    }

    /// Reports that the answer was a refusal, or came too late.
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
