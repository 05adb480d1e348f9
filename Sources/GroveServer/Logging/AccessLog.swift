import GroveAccess
import GroveEngine
import GroveProtocol
import GroveWire
import Logging

/// Writes lines about wrong tokens, about clients that show none, and about refused requests: of
/// each kind at most ``linesPerSecondMax``, and the number of those that are left out.
struct AccessLog {
    /// A wrong token of a client.
    struct WrongToken: Sendable {
        let connection: UInt64
        let peer: String
        /// What was shown; `nil` for a text without the form of a token.
        let claim: DigestedToken?
        /// The number of lines left out before it.
        let suppressed: Int
    }

    private var wrongTokens = Self.throttle
    private var strangers = Self.throttle
    private var refusals = Self.throttle

    private static var throttle: LogThrottle {
        LogThrottle(linesMax: linesPerSecondMax, periodMilliseconds: 1_000)
    }

    /// What to write once the answer has left; `nil` if the line is left out.
    mutating func admit(
        _ claim: DigestedToken?, connection: UInt64, peer: String, at now: Int64
    ) -> WrongToken? {
        wrongTokens.admit(at: now).map {
            WrongToken(connection: connection, peer: peer, claim: claim, suppressed: $0)
        }
    }

    /// Writes a line about a wrong token, with the reason.
    ///
    /// - Parameter time: Milliseconds since 1970.
    static func write(
        _ token: WrongToken, _ log: Logger, _ accounts: AccountsTable, at time: Int64
    ) {
        var metadata: Logger.Metadata = [
            "connection": "c-\(token.connection)", "peer": "\(token.peer)",
            "token": "\(token.claim?.id.text ?? "not a token")", "reason": "malformed",
        ]
        if let claim = token.claim {
            let (flaw, principal) = accounts.flaw(of: claim, at: time)
            metadata["reason"] = "\(flaw.rawValue)"
            if let name = principal.flatMap({ accounts.name(of: $0) }) {
                metadata["principal"] = "\(name)"
            }
        }
        if token.suppressed > 0 { metadata["suppressed"] = .stringConvertible(token.suppressed) }
        log.warning("a client showed a token that isn't right", metadata: metadata)
    }

    /// Writes lines about refused requests.
    mutating func write(
        _ refused: LogNotes<AccessRefusal>, _ log: Logger, _ accounts: AccountsTable, at now: Int64
    ) {
        for refusal in refused.noted {
            refusals.warn(
                log, "a request was refused", at: now,
                metadata: Self.metadata(of: refusal, accounts))
        }
        refusals.leaveOut(refused.leftOut)
    }

    /// Writes lines about clients that were refused before they said who they are: one for each
    /// connection.
    mutating func write(strangers notes: LogNotes<Stranger>, _ log: Logger, at now: Int64) {
        for stranger in notes.noted {
            strangers.warn(
                log, "a client hasn't said who it is", at: now,
                metadata: [
                    "connection": "c-\(stranger.connection.value)", "peer": "\(stranger.address)",
                ])
        }
        strangers.leaveOut(notes.leftOut)
    }

    private static func metadata(
        of refusal: AccessRefusal, _ accounts: AccountsTable
    ) -> Logger.Metadata {
        let name = accounts.name(of: refusal.principal) ?? PrincipalName.anonymous.text
        var metadata: Logger.Metadata = [
            "connection": "c-\(refusal.connection.value)", "peer": "\(refusal.address)",
            "principal": "\(name)",
        ]
        metadata["op"] = refusal.op.map { "\($0.rawValue)" }
        switch refusal.reason {
        case .noGrant(let verb):
            metadata["verb"] = "\(verb)"
            metadata["reason"] = "no grant"
        case .addressOnlyReads: metadata["reason"] = "the address only reads"
        }
        return metadata
    }

    /// Writes the numbers of lines that were left out. Call it once per second, and with `.max` at
    /// the end.
    mutating func writeLeftOut(_ log: Logger, at now: Int64) {
        wrongTokens.warnOverdue(log, "more clients showed tokens that aren't right", at: now)
        strangers.warnOverdue(log, "more clients haven't said who they are", at: now)
        refusals.warnOverdue(log, "more requests were refused", at: now)
    }
}
