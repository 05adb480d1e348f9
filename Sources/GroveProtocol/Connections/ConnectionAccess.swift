import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

/// Who the client of one connection is, and what is remembered of what it may do.
struct ConnectionAccess {
    /// What the transport says of it.
    var origin = ClientOrigin.unknown
    /// The principal that it is, and by which token or identity.
    var caller = Caller()
    /// Whether it has shown a token that was right. Another one must be of the same principal.
    var hasShownToken = false
    /// When its token ends, in milliseconds since 1970; `nil` without an end.
    var expires: Int64?
    /// Whether it must say who it is before it may do anything.
    var isUnknown = false
    /// The uptime until which it must have said that.
    var deadline: Int64?
    /// Requests that were refused before it had said who it is, and wrong tokens.
    var refusals = 0
    /// Whether the log has a line about what it showed, or that it showed nothing.
    var isLogged = false
    /// Lines that it has sent while nobody knew it.
    var unknownLines = 0
    /// Wrong tokens that nobody has counted by address yet; `nil` for a text without the form of a
    /// token. At most ``ServerLimits/refusalsMax``.
    var wrongTokens: [DigestedToken?] = []
    /// What the principal uses, on all its connections; `nil` if nobody counts that.
    var use: PrincipalUse?
    /// Whether the principal that the transport shows has as many connections as it may. Then the
    /// connection doesn't count for it, and may only say that it is another one.
    var isOverQuota = false
    /// Whether the quotas of its principal hold back its lines. Not before the first line that does
    /// more than say who the client is: else quotas of those whom the transport shows, such as
    /// `anonymous`, would keep away everybody with a token.
    var isDecided = false
    /// Bytes that it has sent before that, other than lines.
    var undecidedBytes = 0
    /// Requests for a subscription without a reply.
    var subscriptionsBegun = 0
    /// All requests without a reply.
    var requestsUnderWay = 0
    /// What the principal may do, by the accounts of ``version``.
    private var subject = AccessSubject.everything
    private var version: UInt32?
    private var decidedFor: UInt32?
    /// The last decisions.
    var cache = AccessCache()

    /// What the principal may do. It is kept, because nearly every line is of the same principal by
    /// the same accounts.
    mutating func subject(by directory: inout AccessDirectory) -> AccessSubject {
        let present = directory.accounts.version
        if version != present || decidedFor != caller.principal {
            let isStranger = origin.wantsToken && directory.accounts.isOpen
            subject = isStranger ? .nobody : directory.subject(of: caller.principal)
            (version, decidedFor) = (present, caller.principal)
        }
        return subject
    }

    /// The principal of the transport's identities: its number, and what shows it.
    func recognized(by accounts: AccountsTable) -> Caller {
        if origin.isOwner { return .owner }
        for identity in origin.identities {
            guard let principal = accounts.principal(with: identity) else { continue }
            return Caller(principal.number, by: Caller.Credential(identity))
        }
        return Caller()
    }
}

extension ConnectionMachine {
    /// Takes what the transport says of the client. Call it before ``greet(using:)``.
    package mutating func identify(_ origin: ClientOrigin, using context: inout ProtocolContext) {
        access.origin = origin
        access.caller = access.recognized(by: context.access.accounts)
        access.isOverQuota = !context.hasRoomForConnection(of: access.caller.principal)
        updateKnowledge(using: &context)
    }

    /// Makes the client one that is known by its transport only, as on a new connection: the next
    /// request may be of somebody else. The windows stay, because the engine counts them by the
    /// connection's id.
    ///
    /// - Precondition: Every request has its reply, and there is no subscription.
    package mutating func identifyAnew(using context: inout ProtocolContext) {
        precondition(requests.count == 0 && subscriptions == 0, "one client after the other")
        let origin = access.origin
        countUse(-1)
        if let use { context.note(use) }
        access = ConnectionAccess()
        (hasGreeted, isOrderStrict) = (false, false)
        identify(origin, using: &context)
    }

    /// Whether the client must say who it is before it may do anything.
    package var isUnknown: Bool { access.isUnknown }

    /// Whether it must say that, or that it is another one than the transport shows, because that
    /// one has as many connections as it may.
    package var mustSayWho: Bool { access.isUnknown || access.isOverQuota }

    /// The wrong tokens since the last call; `nil` for a text without the form of a token.
    package mutating func takeWrongTokens() -> [DigestedToken?] {
        guard !access.wrongTokens.isEmpty else { return [] }
        defer { access.wrongTokens = [] }
        return access.wrongTokens
    }

    /// The number of the principal; that of nobody for a client that hasn't said who it is.
    package var principal: UInt32 { access.caller.principal }

    /// Whether the client must say who it is before it may do anything, and its line may be no
    /// longer than that takes.
    mutating func updateKnowledge(using context: inout ProtocolContext) {
        updateUse(using: &context)
        let subject = access.subject(by: &context.access)
        if case .nobody = subject { access.isUnknown = true } else { access.isUnknown = false }
        if mustSayWho {
            let now = context.now.uptime
            access.deadline = access.deadline ?? now + ServerLimits.authenticationMilliseconds
        } else {
            access.deadline = nil
        }
        framer.lineBytesMax =
            access.isUnknown || access.isOverQuota && !decidesEachLine
            ? ServerLimits.unknownLineBytesMax : context.configuredLimits.lineBytesMax
    }

    // MARK: `auth`

    /// Answers `auth`.
    mutating func answerAuth(
        _ claim: DigestedToken?, _ answer: DecodedLine.Answer, _ shape: LineShape,
        using context: inout ProtocolContext
    ) {
        if let error = authenticate(claim, shape, using: &context) {
            return refuse(error, answer, shape, using: &context)
        }
        let number = access.caller.principal
        let expires = access.expires
        respond(answer, shape, using: &context) { writer, context in
            let principal = context.access.accounts.principals[number]
            context.replies.appendLine(to: answer, as: shape, &writer) { replies, writer in
                guard let account = principal?.account else { return }
                writer.member("principal", account.name.text)
                writer.array("grants", account.grants.map(\.description))
                replies.instant(expires, as: #","expires":""#, &writer)
            }
        }
    }

    /// Makes the client the token's principal.
    ///
    /// - Parameter claim: The token; `nil` for a text that is none.
    /// - Returns: The refusal; `nil` if the token is right.
    mutating func authenticate(
        _ claim: DigestedToken?, _ shape: LineShape, using context: inout ProtocolContext
    ) -> WireError? {
        let now = context.now.time.milliseconds
        let accounts = context.access.accounts
        guard let claim, let token = accounts.token(claim.id, claim.digest, at: now),
            accounts.principals[token.principal] != nil
        else {
            access.wrongTokens.append(claim)
            access.isLogged = true
            context.countWrongToken()
            return context.unauthenticated("the token isn't right, or has ended")
        }
        guard !access.hasShownToken || access.caller.principal == token.principal else {
            let error = WireError.badRequest(
                "$.token", "this connection is another principal's: open a new one")
            return shape == .plain ? error : error.inside(".params")
        }
        if token.principal != access.caller.principal || access.isOverQuota,
            !context.hasRoomForConnection(of: token.principal)
        {
            return Self.tooManyConnections
        }
        access.hasShownToken = true
        access.isOverQuota = false
        access.isDecided = true
        access.caller = Caller(token.principal, by: Caller.Credential(token.id))
        access.expires = token.expires
        context.noteUse(of: token)
        updateKnowledge(using: &context)
        return nil
    }

    /// Counts a refusal of a client that nobody knows, and a wrong token of any client. With
    /// ``ServerLimits/refusalsMax`` of them the connection is closed.
    mutating func countRefusal(
        _ error: WireError, isAnswered: Bool, using context: inout ProtocolContext
    ) {
        guard error.code == .unauthenticated || access.isUnknown && isAnswered else { return }
        if error.code == .unauthenticated || error.code == .lineTooLong {
            noteStranger(using: &context)
        }
        access.refusals += 1
        if access.refusals >= ServerLimits.refusalsMax { close(.unauthenticated) }
    }

    /// Counts a line of a client that nobody knows. One more than it may send closes the
    /// connection.
    mutating func countUnknownLine(using context: inout ProtocolContext) {
        access.unknownLines += 1
        guard access.unknownLines > ServerLimits.unknownLinesMax else { return }
        noteStranger(using: &context)
        close(.unauthenticated)
    }

    /// Notes a client for the log that hasn't said who it is: once, and not after a wrong token,
    /// which has a line of its own. A browser keeps connections open that it doesn't need, so
    /// requests over HTTP are noted where they are answered.
    private mutating func noteStranger(using context: inout ProtocolContext) {
        guard access.isUnknown, !access.isLogged, !(isOverHTTP && decidesEachLine) else { return }
        access.isLogged = true
        context.strangers.note(Stranger(connection: id, address: access.origin.address))
    }

    // MARK: Changes

    /// Reacts to changed accounts: closes a connection whose token, identity or principal was
    /// revoked, and drops what isn't sent. Call it before replies are sent that tell of the change.
    ///
    /// - Parameter keepsUnsent: Whether that is sent even then: to the client that has made the
    ///   change, which gets the answer.
    /// - Returns: Whether there is something to send, or to read.
    @discardableResult
    package mutating func accountsChanged(
        keepsUnsent: Bool = false, using context: inout ProtocolContext
    ) -> Bool {
        let accounts = context.access.accounts
        let (wasUnknown, wasHeld) = (mustSayWho, isHeldByQuota)
        if access.caller.credential == .none {
            // Somebody who wasn't known may be now.
            access.caller = access.recognized(by: accounts)
        } else if !accounts.recognizes(access.caller) {
            if !keepsUnsent { dropUnsent() }
            end(.revoked, "the token or identity was revoked", using: &context)
            return true
        } else if access.hasShownToken {
            access.expires =
                accounts.tokens(of: access.caller.principal).first {
                    Caller.Credential($0.id) == access.caller.credential
                }?.expires
        }
        access.isOverQuota =
            access.isOverQuota && !context.hasRoomForConnection(of: access.caller.principal)
        updateKnowledge(using: &context)
        return mustSayWho != wasUnknown || isHeldByQuota != wasHeld
    }

    /// Closes a connection whose time is over: its token's, or that to say who its client is. Part
    /// of ``tick(using:)``.
    mutating func checkAccess(using context: inout ProtocolContext) {
        if let expires = access.expires, context.now.time.milliseconds >= expires {
            end(.expired, "the token has expired", using: &context)
        } else if let deadline = access.deadline, context.now.uptime >= deadline {
            guard access.isOverQuota, !access.isUnknown else {
                return end(.unauthenticated, "no token came in time", using: &context)
            }
            _ = takeRoom(.null, shape, using: &context)
        }
    }

    /// Drops what a client whose rights have ended would get. The answer to one of another protocol
    /// stays.
    private mutating func dropUnsent() {
        switch closing {
        case .httpRequest, .tlsHello, .notTLS: break
        default: outbound.dropLines()
        }
    }

    private mutating func end(
        _ reason: CloseReason, _ why: String, using context: inout ProtocolContext
    ) {
        guard closing == nil || closing == .unsupportedProto else { return }
        let error = context.unauthenticated(why)
        if reason == .revoked {
            // No reply comes before it any more, not even in strict order.
            context.replies.append(error, to: .null, as: shape, into: &outbound.writer)
            timers.sent(context.now.uptime)
        } else {
            refuse(error, .null, shape, using: &context)
        }
        close(reason)
    }

    // MARK: Decisions

    /// Decodes a line, unless the client may not do what it asks for.
    mutating func decode(
        _ line: UnsafeRawBufferPointer, using context: inout ProtocolContext
    ) -> DecodedLine {
        let subject = access.subject(by: &context.access)
        if subject.isEverything { return context.decoder.decode(line) }
        var judge = AccessJudge(subject, isLocal: access.origin.isLocal)
        swap(&judge.cache, &access.cache)
        context.decoder.judge = consume judge
        let decoded = context.decoder.decode(line)
        if var judge = context.decoder.judge.take() {
            swap(&judge.cache, &access.cache)
            if let refused = judge.refused {
                context.refusals.note(
                    refusal(of: refused.op, .noGrant(verb: refused.verb.rawValue)))
                context.refusals.leaveOut(judge.refusedCount - 1)
            }
        }
        return decoded
    }

    /// A refusal of this client, for the log.
    func refusal(of op: Op?, _ reason: AccessRefusal.Reason) -> AccessRefusal {
        AccessRefusal(
            connection: id, principal: access.caller.principal, address: access.origin.address,
            op: op, reason: reason)
    }

    /// The caller of a request that was allowed now.
    @inline(__always) func caller(using context: borrowing ProtocolContext) -> Caller {
        var caller = access.caller
        caller.version = context.access.accounts.version
        return caller
    }
}
