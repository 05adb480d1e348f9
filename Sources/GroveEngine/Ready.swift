import GroveAccess

/// All that an engine releases: the replies, records and effects whose commit is durable.
///
/// Only an engine makes one and fills it. It comes from ``Engine/flush(to:at:settling:)``, which
/// commits first, and from ``Engine/work(at:store:)``, which reads only what is committed.
public struct Ready: Sendable {
    /// One reply to one request.
    public struct ReplyTo: Sendable {
        public let connection: ConnectionID
        public let token: UInt32
        public internal(set) var reply: Reply { didSet { weight = reply.weight } }
        /// ``Reply/weight``, at hand without a copy of the reply.
        public private(set) var weight: Int

        init(connection: ConnectionID, token: UInt32, reply: consuming Reply) {
            self.connection = connection
            self.token = token
            weight = reply.weight
            self.reply = reply
        }
    }

    /// A request to close a connection.
    public struct Close: Sendable {
        public let connection: ConnectionID
    }

    /// The machines, if the commit has changed them.
    public internal(set) var catalogue: Catalogue?
    /// The accounts, if the commit has changed them. They hold before the replies are sent.
    package internal(set) var accounts: AccountsTable?
    public internal(set) var dispatches: [EffectDispatch] = []
    public internal(set) var cancellations: [EffectRef] = []
    /// Answers to reports, and whether each report was applied.
    public internal(set) var answers: [(answer: @Sendable (Bool) -> Void, wasApplied: Bool)] = []
    public internal(set) var replies: [ReplyTo] = []
    /// Records and marks for subscribers, in order, after the replies.
    public internal(set) var publications: [Publication] = []
    /// Connections to close as slow consumers (`slow: "disconnect"`), last.
    public internal(set) var closes: [Close] = []
    /// The requests that were applied. The receiver drops them: memory is given back fastest by the
    /// thread that took it, and the engine's thread doesn't wait for its lock.
    package var applied: [ArraySlice<Request>] = []
    /// Whether some replies may be descriptions that are still to be made.
    var hasDescriptions = false

    init() {}

    public var isEmpty: Bool {
        replies.isEmpty && publications.isEmpty && closes.isEmpty && dispatches.isEmpty
            && cancellations.isEmpty && answers.isEmpty && catalogue == nil && accounts == nil
    }
}
