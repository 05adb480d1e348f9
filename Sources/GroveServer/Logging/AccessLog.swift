import GroveAccess
import GroveEngine
import GroveProtocol
import GroveWire
import Logging

/// Writes lines about wrong tokens and about refused requests: of each kind at most
/// ``linesPerSecondMax``, and the number of those that are left out.
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
        _ refused: (noted: [AccessRefusal], leftOut: Int), _ log: Logger,
        _ accounts: AccountsTable, at now: Int64
    ) {
        for refusal in refused.noted {
            refusals.warn(
                log, "a request was refused", at: now,
                metadata: Self.metadata(of: refusal, accounts))
        }
        refusals.leaveOut(refused.leftOut)
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
        metadata["verb"] = refusal.verb.map { "\($0)" }
        metadata["reason"] = refusal.verb == nil ? "the address only reads" : "no grant"
        return metadata
    }

    /// Writes the numbers of lines that were left out. Call it once per second, and with `.max` at
    /// the end.
    mutating func writeLeftOut(_ log: Logger, at now: Int64) {
        wrongTokens.warnOverdue(log, "more clients showed tokens that aren't right", at: now)
        refusals.warnOverdue(log, "more requests were refused", at: now)
    }
}
