import Dispatch
import GroveNetwork
import GroveTLS
import OrderedJSON

/// A connection to a Grove server: sends events, reads instances, follows records.
///
/// The client connects at the first request, and again after a lost connection. Calls without an
/// answer are then sent again, subscriptions resume, and nothing is done twice (``RetryPolicy``);
/// only requests that can't be repeated fail. It is safe to use from any task; requests are sent in
/// the order of the calls and don't wait for each other.
///
/// An instance's name is `machine/instance`. The timeout of a call is the longest wait for its
/// answer, connecting and repeats included; `nil` is ``ClientOptions/requestTimeout``.
///
/// All work runs on one serial queue, `grove.client`. The client closes its connection with
/// ``close()``, or when no reference to it is left and no reply is outstanding.
///
/// ```swift
/// let client = Client()
/// let reply = try await client.send(to: "counter/a", event: "increment")
/// print(reply.version)
/// ```
public actor Client: QueueActor {
    /// The client's options.
    public nonisolated let options: ClientOptions

    /// The client's queue.
    package nonisolated let executor = QueueExecutor(label: "grove.client")

    /// Runs the actor on its queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    enum Phase: Equatable {
        case idle
        case connecting
        /// Greeted, until the server has accepted the token.
        case proving
        case open
        case closed
    }

    /// A request that has an id and no reply yet.
    struct Pending {
        let destination: Destination
        let deadline: ContinuousClock.Instant
        let timeout: Duration
        /// The bytes queued before it on its connection.
        let offset: Int
    }

    /// The destination of the outcome of a request.
    enum Destination {
        case call(Call)
        case subscription(String)
        case hello
    }

    /// One subscription, with the reply to its caller until the server first accepts it.
    struct SubscriptionEntry {
        let feed: SubscriptionFeed
        var starter: PendingReply?
        /// The time at which ``starter`` fails.
        var starterDeadline: ContinuousClock.Instant
        /// The error of the last attempt, for ``starter``.
        var lastError: ClientError?
        /// Whether the server has accepted it on the present connection.
        var isRunning = false
    }

    var phase = Phase.idle
    var connection: Connection?
    /// Counts attempts to connect, so that late callbacks of an earlier one are ignored.
    var link = 0
    var greeting: Greeting?
    /// The token for the next connection.
    private(set) var token: ClientToken?
    /// Whether a token may be sent over the present connection.
    var isTokenAllowed = false
    /// The addresses of the server's name that are still to be tried.
    var endpoints: [SocketAddress] = []
    /// What checks the server's certificate in the present attempt; `nil` without TLS.
    var tlsContext: TLSContext?
    /// Counts the addresses tried.
    var endpointsTried = 0
    /// The end of the present attempt to connect.
    var connectDeadline = ContinuousClock.now
    /// The number of failed attempts in a row.
    var failures = 0
    /// Whether the next attempt to connect is scheduled.
    var isReconnectDue = false
    /// Whether the server has announced that it accepts no more calls on this connection.
    var isDraining = false
    /// The server's error for a line of the present connection whose id it couldn't read: one of
    /// the calls under way may never be answered.
    var unreadLine: ServerError?
    var lastReceived = ContinuousClock.now
    var isFlushPosted = false

    var nextID: Int64 = 1
    var pending: [Int64: Pending] = [:]
    /// Calls that wait for a connection, in their order.
    var waiting: [Call] = []
    /// The order of the calls that have the connection.
    var instanceOrder: InstanceOrder
    /// Released calls, while one of them is being sent.
    var outgoing: [Call] = []
    var isTransmitting = false
    private var nextOrder = 1
    private nonisolated let budget: CallBudget
    var timerDeadline: ContinuousClock.Instant?

    var nextSubscription = 1
    var subscriptions: [String: SubscriptionEntry] = [:]

    /// Looks up the addresses of a server; may block.
    typealias LookUp = @Sendable (ServerAddress) throws(HostLookup.Failure) -> [SocketAddress]
    nonisolated let lookUp: LookUp

    /// A client that has not connected yet.
    public init(options: ClientOptions = ClientOptions()) {
        self.init(
            options: options,
            lookUp: { address throws(HostLookup.Failure) in try address.endpoints() })
    }

    /// A client that looks up addresses with `lookUp`, which tests replace.
    init(options: ClientOptions, lookUp: @escaping LookUp) {
        self.options = options
        token = options.token
        self.lookUp = lookUp
        instanceOrder = InstanceOrder(order: options.retry.order)
        budget = CallBudget(callsMax: max(1, options.callsMax), bytesMax: options.callBytesMax)
    }

    /// A client for a server at `address`, with default options otherwise.
    public init(server address: ServerAddress) {
        self.init(options: ClientOptions(server: address))
    }

    nonisolated var queue: DispatchQueue { executor.queue }

    /// Runs `work` after a delay, unless the client is gone by then.
    func post(after delay: Duration, _ work: @escaping @Sendable (isolated Client) -> Void) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(delay.nanoseconds)) { [weak self] in
            self?.assumeIsolated(work)
        }
    }

    // MARK: Requests

    /// Sends a request without waiting for its reply.
    ///
    /// Requests submitted one after the other from one task are sent in that order. At most
    /// ``ClientOptions/callsMax`` calls may wait for their answers; one more fails at once with
    /// ``ClientError/queueFull(_:)``.
    public nonisolated func submit(_ request: Request, timeout: Duration? = nil) -> PendingReply {
        let reply = PendingReply(client: self)
        let timeout = timeout ?? options.requestTimeout
        let deadline = ContinuousClock.now + timeout
        var request = request
        if request.wantsKey, let key = makeKey() { request.set("dedup", .string(key)) }
        let call = Call(request: request, reply: reply, deadline: deadline, timeout: timeout)
        if let error = budget.reserve(bytes: request.byteCount) {
            reply.resolve(.failure(error))
        } else {
            post { $0.start(call) }
        }
        return reply
    }

    /// A dedup key that was never used; `nil` where the policy makes none.
    nonisolated func makeKey() -> String? {
        options.retry.makesKeys ? budget.nextKey() : nil
    }

    /// Sends a request and waits for its reply.
    ///
    /// - Throws: ``ClientError/server(_:)`` when the server refuses, and every other case of
    ///   ``ClientError`` but `gap`, as all calls of the client do.
    public nonisolated func request(
        _ request: Request, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        try await submit(request, timeout: timeout).value
    }

    /// Closes the connection, fails calls without an answer and ends all subscriptions. The client
    /// can't be used again.
    public func close() {
        guard phase != .closed else { return }
        let entries = subscriptions.values
        subscriptions = [:]
        for entry in entries {
            entry.starter?.resolve(.failure(.closed))
            entry.feed.update { $0.finish(nil) }
        }
        disconnect(.closed)
        phase = .closed
    }

    private func start(_ call: Call) {
        var call = call
        call.order = nextOrder
        nextOrder += 1
        switch phase {
        case .closed: finish(call, .failure(.closed))
        case .open: dispatch(call)
        case .idle, .connecting, .proving:
            waiting.append(call)
            armTimer(call.deadline)
            if phase == .idle { connectSoon() }
        }
    }

    /// Passes the result to the caller and removes the call.
    func finish(_ call: Call, _ result: Result<Reply, ClientError>) {
        budget.release(bytes: call.request.byteCount)
        call.reply.resolve(result)
    }

    /// Sends a request and registers the destination of its reply.
    func transmit(
        _ request: Request, to destination: Destination, deadline: ContinuousClock.Instant,
        timeout: Duration, after elapsed: Duration = .zero
    ) {
        guard let connection else { return }
        let id = nextID
        nextID += 1
        let line = request.line(id: id, after: elapsed)
        if let fault = fault(of: line) {
            return resolve(destination, .failure(.invalidRequest(fault)))
        }
        pending[id] = Pending(
            destination: destination, deadline: deadline, timeout: timeout,
            offset: connection.queuedBytes)
        connection.enqueue(line)
        armTimer(deadline)
        flushSoon()
    }

    /// Uses a token for the next connections.
    func adopt(_ token: ClientToken) { self.token = token }

    /// Why a server would refuse a line without reading its id: then it couldn't say which request
    /// that was, and no other reply would be certain.
    private func fault(of line: [UInt8]) -> String? {
        if let lineBytesMax = greeting?.lineBytesMax, line.count - 1 > lineBytesMax {
            return "the request has \(line.count - 1) bytes, the server accepts at most "
                + "\(lineBytesMax) in a line (its key max-line)"
        }
        let limits = JSONLimits()
        if JSONCount.exceeds(limits.valuesMax, in: line) {
            return "the request has more than \(limits.valuesMax) values, the most that a server "
                + "accepts in a line"
        }
        guard JSONDepth.exceeds(limits.depthMax, in: line) else { return nil }
        return "the request is nested more than \(limits.depthMax) deep; a server takes "
            + "definitions like that from its folder of machines"
    }

    /// Sends a line that gets no reply.
    func transmit(_ request: Request) {
        guard phase == .open || phase == .proving, let connection else { return }
        connection.enqueue(request.line(id: nil))
        flushSoon()
    }

    /// Writes once for all requests that wait on the queue already.
    private func flushSoon() {
        guard !isFlushPosted else { return }
        isFlushPosted = true
        post { $0.flush() }
    }

    private func flush() {
        isFlushPosted = false
        if let reason = connection?.flush() { disconnect(.connectionLost(reason)) }
    }

    /// Passes the outcome of a request to its destination.
    func resolve(_ destination: Destination, _ result: Result<Reply, ClientError>) {
        switch destination {
        case .call(let call): resolveCall(call, result)
        case .subscription(let name): resolveSubscription(name, result)
        case .hello:
            switch result {
            case .failure(let error): disconnect(error)
            case .success: proved()
            }
        }
    }
}

extension Duration {
    /// Whole nanoseconds, at most about 292 years.
    package var nanoseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(seconds, 9_000_000_000)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}
