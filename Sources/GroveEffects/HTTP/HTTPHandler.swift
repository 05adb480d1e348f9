import OrderedJSON
public import Transducers

/// The handler `http`: makes the request that a machine has described, see ``HTTPRequest``.
///
/// Its result is an ``HTTPResponse``.
///
/// - An answer with a status from 200 to 299, or one that the request accepts besides, is a
///   **result**.
/// - A try **fails** and may be made again when there is no connection or no whole answer, when
///   it takes too long, and when the server answers 408, 425, 429 or 5xx; not before the time that
///   a `Retry-After` names.
/// - It fails **for good** when the server answers anything else, when the request is malformed or
///   goes where ``HTTPOptions`` doesn't allow, when the answer is too large or no UTF-8, and
///   when redirects don't end.
///
/// The name of a host is looked up once. Every address it has is checked, and the connection goes
/// to one that was checked. Proxies that the environment names aren't used.
///
/// A request may arrive more than once. Each carries the effect's key as `Idempotency-Key`, the
/// same every time, so that the other side can tell.
public enum HTTPHandler {
    /// What machines call it.
    public static let name = "http"

    /// The handler, with connections of its own.
    public static func make(options: HTTPOptions) -> EffectHandler {
        make(options: options, resolve: SystemResolver.addresses)
    }

    /// Why no request can be made on this machine, and what to install; `nil` if they can.
    ///
    /// It loads the library that requests need, which takes some 20 ms the first time.
    public static func missingLibrary(options: HTTPOptions) -> String? {
        do throws(CurlLibrary.Missing) {
            _ = try CurlLibrary.load(options.libraryNames)
            return nil
        } catch {
            return error.description
        }
    }

    /// The host that a request goes to; `nil` for what is no request, and fails soon.
    @Sendable
    static func host(of argument: JSONValue) -> String? {
        argument["url"]?.string.flatMap { try? HTTPURL($0) }?.host
    }

    /// The handler with a resolver of the test's.
    package static func make(
        options: HTTPOptions, resolve: @escaping NameResolver
    ) -> EffectHandler {
        let gate = HTTPGate(options: options, resolve: resolve)
        let loop = CurlLoop(
            CurlTransfer.Options(options), libraryNames: options.libraryNames)
        return EffectHandler(
            name, concurrencyMax: options.concurrencyMax, timeout: options.timeoutMax,
            shares: EffectShares(runsMax: options.perHostMax, name: host(of:))
        ) { argument, context in
            let request = try HTTPRequest(argument: argument)
            let call = HTTPCall(gate: gate, loop: loop, attempt: context.attempt)
            return try await call.run(request, key: context.key)
        }
    }
}

extension CurlTransfer.Options {
    /// What the operator's options mean for each request.
    init(_ options: HTTPOptions) {
        bodyBytesMax = options.responseBytesMax
        trustRootsFile = options.additionalTrustRootsFile
    }
}

/// One request with the redirects that follow it, under one time limit.
struct HTTPCall: Sendable {
    let gate: HTTPGate
    let loop: CurlLoop
    let attempt: Int

    private var options: HTTPOptions { gate.options }

    /// Makes the request.
    ///
    /// - Throws: `PermanentFailure`, `CancellationError`, or what is wrong with this try.
    func run(_ request: HTTPRequest, key: String) async throws -> JSONValue {
        let first = try HTTPHop(request, key: key)
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
            let place = try await gate.admit(hop.url, attempt: attempt)
            let answer = try await loop.answer(to: hop, at: place)
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
        let reason = "the server answered \(status)"
        switch request.verdict(on: status) {
        case .result: break
        case .permanentFailure: throw PermanentFailure(reason)
        case .failure:
            guard let pause = HTTPRetryAfter.pause(answer) else { throw HTTPFailure(reason) }
            throw RetryLater(reason, after: pause)
        }
        guard !answer.isTooLarge else {
            throw PermanentFailure(
                "the server's answer has more than \(options.responseBytesMax) bytes")
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
            // No JSON: text, if it is that.
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PermanentFailure("the server's answer is neither JSON nor text in UTF-8")
        }
        return .string(text)
    }
}
