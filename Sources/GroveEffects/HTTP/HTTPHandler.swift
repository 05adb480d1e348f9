import OrderedJSON
public import Transducers

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The handler `http`: makes the request that a machine describes (``HTTPRequest``).
///
/// Its result is an ``HTTPResponse``.
///
/// - An answer with a status from 200 to 299, or one that the request accepts, is a **result**.
/// - An attempt **fails** and may be repeated without a connection or a whole answer, after its
///   time limit, and when the server answers 408, 425, 429 or 5xx. The next attempt waits at least
///   for the time of `Retry-After`.
/// - The effect **fails** for any other status, a malformed request, a place that ``HTTPOptions``
///   doesn't allow, an answer that is too large or not UTF-8, and endless redirects.
///
/// The name of a host is looked up once. Each of its addresses is checked, and the connection goes
/// to a checked one. Proxies of the environment aren't used.
///
/// A header may have a secret of ``HTTPOptions/secrets``, by its name. Its value is put in for one
/// attempt, over `https` and to its hosts, for its machines; otherwise the effect fails. Where a
/// server sends the value back, `[secret:name]` is reported instead.
///
/// A request may arrive more than once. Each has the effect's key as `Idempotency-Key`, always the
/// same, so the server can recognize a repetition. If the request that caused the effect belongs to
/// a trace, its `traceparent` is handed on, unless the machine sets that header.
public enum HTTPHandler {
    /// The name in `perform`.
    public static let name = "http"

    public static func make(options: HTTPOptions) -> EffectHandler {
        make(options: options, resolve: NameLookups.systemAddresses)
    }

    /// The reason why this system can't make requests, and what to install; `nil` if it can.
    ///
    /// Loads the library that requests need, which takes about 20 ms the first time.
    public static func missingLibrary(options: HTTPOptions) -> String? {
        do throws(CurlLibrary.Missing) {
            _ = try CurlLibrary.load(options.libraryNames)
            return nil
        } catch {
            return error.description
        }
    }

    /// The version of the library that requests need; `nil` if this system has none that will do.
    public static var libraryVersion: String? {
        // The reason is reported where a request needs it.
        try? CurlLibrary.load().version
    }

    /// The host of a request; `nil` for a malformed one, which fails soon.
    @Sendable
    static func host(of argument: JSONValue) -> String? {
        argument["url"]?.string.flatMap { try? HTTPURL($0) }?.host
    }

    /// Makes a handler with another resolver or time for unused connections, for tests.
    package static func make(
        options: HTTPOptions, resolve: @escaping NameResolver, idleTime: Duration? = nil
    ) -> EffectHandler {
        let gate = HTTPGate(options: options, resolve: resolve)
        let loop = CurlLoop(
            CurlTransfer.Options(
                bodyBytesMax: options.responseBytesMax,
                idleTime: idleTime ?? CurlLoop.idleTimeMax,
                trustRootsFile: options.trustRootsFile,
                additionalTrustRootsFile: options.additionalTrustRootsFile),
            libraryNames: options.libraryNames)
        return EffectHandler(
            name, concurrencyMax: options.concurrencyMax, timeout: options.timeoutMax,
            shares: EffectShares(runsMax: options.perHostMax, name: host(of:))
        ) { argument, context in
            let request = try HTTPRequest(argument: argument)
            let call = HTTPCall(
                gate: gate, loop: loop, attempt: context.attempt, machine: context.machine)
            return try await withoutSecrets(options) {
                try await call.run(request, key: context.key, traceparent: context.traceparent)
            }
        }
    }

    /// Replaces values of secrets in the result of a request, and in the reason of its failure. A
    /// result that becomes larger by that has the bound of an answer, too.
    private static func withoutSecrets(
        _ options: HTTPOptions, _ body: () async throws -> JSONValue
    ) async throws -> JSONValue {
        let secrets = options.secrets
        if secrets.isEmpty { return try await body() }
        do {
            let answer = try await body()
            let shown = secrets.redacted(answer)
            if shown != answer {
                let most = max(options.responseBytesMax, answer.serialized().count)
                guard shown.serialized().count <= most else {
                    throw PermanentFailure.tooLarge(options)
                }
            }
            return shown
        } catch let error as PermanentFailure {
            throw PermanentFailure(secrets.redacted(error.reason))
        } catch let error as RetryLater {
            throw RetryLater(secrets.redacted(error.reason), after: error.pause)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw HTTPFailure(secrets.redacted(String(describing: error)))
        }
    }
}

/// One request with the redirects that follow it, under one time limit.
struct HTTPCall: Sendable {
    let gate: HTTPGate
    let loop: CurlLoop
    let attempt: Int
    /// The machine that asks; `nil` outside of a server.
    var machine: String?

    private var options: HTTPOptions { gate.options }

    /// Makes the request.
    ///
    /// - Throws: `PermanentFailure`, `CancellationError`, or the failure of this attempt.
    func run(
        _ request: HTTPRequest, key: String, traceparent: String?
    ) async throws -> JSONValue {
        let first = try HTTPHop(
            request, key: key, traceparent: traceparent, secrets: options.secrets,
            machine: machine)
        let wanted = request.timeoutMilliseconds.map { Duration.milliseconds($0) }
        let limit = min(wanted ?? options.timeout, options.timeoutMax)
        return try await withThrowingTaskGroup(of: JSONValue.self) { group in
            group.addTask { try await follow(first, for: request) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw HTTPFailure("the server took longer than \(limit)")
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private func follow(_ first: HTTPHop, for request: HTTPRequest) async throws -> JSONValue {
        var hop = first
        var seen: Set<String> = []
        while true {
            let address = try await gate.admit(hop.url, attempt: attempt)
            let answer = try await loop.answer(to: hop, at: address)
            if options.redirectsMax > 0,
                let next = try hop.following(
                    status: answer.status, location: answer.header("location"))
            {
                seen.insert("\(hop.method) \(hop.url.text)")
                guard !seen.contains("\(next.method) \(next.url.text)") else {
                    throw PermanentFailure("the server's redirects go round in a circle")
                }
                guard seen.count <= options.redirectsMax else {
                    throw PermanentFailure(
                        "the server redirects more than \(options.redirectsMax) times")
                }
                hop = next
                continue
            }
            return try result(answer, of: request)
        }
    }

    // MARK: The answer

    private func result(_ answer: HTTPAnswer, of request: HTTPRequest) throws -> JSONValue {
        let status = answer.status
        if !(200...299).contains(status), !request.acceptStatus.contains(status) {
            let reason = "the server answered \(status)"
            guard [408, 425, 429].contains(status) || (500...599).contains(status) else {
                throw PermanentFailure(reason)
            }
            guard let pause = answer.retryAfter(now: Int64(time(nil))) else {
                throw HTTPFailure(reason)
            }
            throw RetryLater(reason, after: pause)
        }
        guard !answer.isTooLarge else {
            throw PermanentFailure.tooLarge(options)
        }
        var headers = JSONObject()
        for (name, value) in answer.headers {
            let earlier = headers[name]?.string.map { $0 + ", " } ?? ""
            headers[name] = .string(earlier + value)
        }
        return [
            "status": .integer(Int64(status)), "headers": .object(headers),
            "body": try value(of: answer.body),
        ]
    }

    private func value(of bytes: [UInt8]) throws(PermanentFailure) -> JSONValue {
        guard !bytes.isEmpty else { return .null }
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            // It may be text.
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PermanentFailure("the server's answer is neither JSON nor text in UTF-8")
        }
        return .string(text)
    }
}

extension PermanentFailure {
    /// The failure of an answer that is too large.
    fileprivate static func tooLarge(_ options: HTTPOptions) -> PermanentFailure {
        PermanentFailure("the server's answer has more than \(options.responseBytesMax) bytes")
    }
}
