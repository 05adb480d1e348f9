import GroveWire
import OrderedJSON

/// What stands before everything else: whether a request may come from where it comes from, and
/// whether there is anything at its path.
enum Gatekeeper {
    /// Checks the head of a request.
    ///
    /// - Throws: The refusal of the first rule that is broken.
    static func admit(
        _ head: HTTPRequestHead, using context: inout HTTPContext
    ) throws(Refusal) -> Exchange {
        if head.host != context.allowedHost {
            guard HostRule.allows(head.host, names: context.settings.hosts) else {
                throw Refusal(
                    421,
                    "the server doesn't answer to this name: list it in web-hosts, or use an "
                        + "address")
            }
            // A copy, because the slice keeps the whole head.
            context.allowedHost = ArraySlice(Array(head.host))
        }
        var origin: [UInt8]?
        switch OriginRule.judge(head, origins: context.settings.origins) {
        case .own: break
        case .listed(let listed): origin = listed
        case .refused(let why): throw Refusal(403, why)
        }
        do throws(Refusal) {
            let exchange = try find(head, using: &context)
            exchange.origin = origin
            guard head.method != .options else { return exchange }
            try checkBody(head, of: exchange)
            try readConditions(head, into: exchange)
            if exchange.route.action == .socket { try readUpgrade(head, into: exchange) }
            return exchange
        } catch {
            // The page that may use the server may read its refusals.
            var refusal = error
            refusal.origin = origin
            throw refusal
        }
    }

    /// Checks that a body is one of the route, and JSON.
    private static func checkBody(
        _ head: HTTPRequestHead, of exchange: Exchange
    ) throws(Refusal) {
        guard head.body != .none else { return }
        guard exchange.route.body != .none else {
            throw Refusal(.badRequest, "there is no body here") { $0.member("at", "$") }
        }
        guard head.hasJSONBody else {
            throw Refusal(415, "the body is application/json, and Content-Type says so")
        }
        exchange.expectsContinue = head.expectsContinue
    }

    /// The route of a request, with the values of its path and its query.
    private static func find(
        _ head: HTTPRequestHead, using context: inout HTTPContext
    ) throws(Refusal) -> Exchange {
        if case .other = head.method {
            throw Refusal(501, "there is no such method")
        }
        guard head.path.first == UInt8(ascii: "/") else {
            return Exchange(HTTPRoute.serverOptions, head, variables: PathVariables(), query: [])
        }
        let segments = try HTTPTarget.segments(of: head.path).refusal()
        switch context.router.match(head.method, segments) {
        case .nowhere:
            throw Refusal(404, "there is nothing at this path; see /v1/openapi.json")
        case .otherMethods(let methods):
            if head.method == .options {
                return Exchange(
                    HTTPRoute.options(methods), head, variables: PathVariables(), query: [])
            }
            var refusal = Refusal(405, "the path has other methods")
            refusal.allowed = methods + [.options]
            throw refusal
        case .route(let route, let variables):
            let query = try readQuery(head, of: route)
            if route.action == .records { try checkName(variables) }
            let exchange = Exchange(route, head, variables: variables, query: query)
            exchange.takesGzip = route.isOfConsole && head.takesGzip
            return exchange
        }
    }

    /// Checks that the parts of a stream's path are names: in a selection they would be patterns.
    private static func checkName(_ variables: PathVariables) throws(Refusal) {
        for (part, value) in variables.all
        where value.contains(UInt8(ascii: "*")) || value.contains(UInt8(ascii: "?")) {
            throw Refusal(.badRequest, "patterns stand in the query of /v1/records") {
                $0.member("at", "/\(part)")
            }
        }
    }

    private static func readQuery(
        _ head: HTTPRequestHead, of route: HTTPRoute
    ) throws(Refusal) -> [(parameter: HTTPParameter, value: String)] {
        // Links to a page get parameters from programs that pass them on.
        if case .console = route.action { return [] }
        guard let text = head.query else { return [] }
        var query: [(parameter: HTTPParameter, value: String)] = []
        for (name, value) in try HTTPTarget.query(text).refusal() {
            guard let parameter = route.parameters.first(where: { $0.name == name }) else {
                let known = route.parameters.map(\.name).joined(separator: ", ")
                throw Refusal(
                    .badRequest,
                    known.isEmpty
                        ? "this path has no parameters"
                        : "there is no such parameter; there are \(known)"
                ) { $0.member("at", "?\(name)") }
            }
            guard parameter.allows(value) else {
                throw Refusal(.badRequest, "\(name) \(parameter.rule)") {
                    $0.member("at", "?\(name)")
                }
            }
            query.append((parameter, value))
        }
        return query
    }

    /// Reads the fields that ask for something. Where the route can't do it, silence would be a
    /// promise.
    private static func readConditions(
        _ head: HTTPRequestHead, into exchange: Exchange
    ) throws(Refusal) {
        func refuse(_ field: String) throws(Refusal) {
            throw Refusal(.badRequest, "\(field) means nothing here") { $0.member("at", field) }
        }
        let conditions = exchange.route.conditions
        exchange.trace = head.traceParent()
        if let key = try head.idempotencyKey() {
            guard conditions.contains(.key) else { return try refuse("Idempotency-Key") }
            exchange.key = key
        }
        if conditions.contains(.cached) {
            exchange.cached = try head.single("if-none-match").map { Array($0.value) }
            if try head.single("if-match") != nil { return try refuse("If-Match") }
        } else if let expectation = try head.expectation() {
            guard conditions.contains(.expect) else {
                return try refuse(expectation == .absent ? "If-None-Match" : "If-Match")
            }
            exchange.expectation = expectation
        }
        if let last = try head.single("last-event-id")?.value {
            guard conditions.contains(.lastEvent) else { return try refuse("Last-Event-ID") }
            guard last.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw Refusal(.badRequest, "Last-Event-ID is a cursor") {
                    $0.member("at", "Last-Event-ID")
                }
            }
            exchange.lastEvent = Array(last)
        }
    }

    /// Reads the fields of a handshake of WebSocket (RFC 6455, section 4.2.1).
    private static func readUpgrade(
        _ head: HTTPRequestHead, into exchange: Exchange
    ) throws(Refusal) {
        guard head.isUpgradeToWebSocket, !head.isVersion10 else {
            throw Refusal(426, "connect with WebSocket")
        }
        guard let version = try head.single("sec-websocket-version")?.value,
            version.elementsEqual("13".utf8)
        else { throw Refusal(426, "the version of WebSocket is 13") }
        guard let key = try head.single("sec-websocket-key")?.value,
            let answer = WebSocketHandshake.accept(key: Array(key))
        else { throw Refusal(400, "Sec-WebSocket-Key is 16 bytes in base64") }
        exchange.socketAnswer = answer
        let names = head.all("sec-websocket-protocol").flatMap {
            $0.value.split(separator: UInt8(ascii: ","))
        }
        exchange.namesProtocol = names.contains { name in
            name.filter { $0 != 0x20 && $0 != 0x09 }.elementsEqual(HTTPRoute.subprotocol.utf8)
        }
        guard exchange.namesProtocol || names.isEmpty else {
            throw Refusal(400, "the subprotocol is \(HTTPRoute.subprotocol), or none")
        }
    }
}

extension HTTPParameter {
    /// Whether a value has the parameter's form. The decoder of lines checks bounds.
    func allows(_ value: String) -> Bool {
        switch form {
        case .text: true
        case .start: !value.isEmpty
        case .integer: RequestLine.isInteger(value.utf8)
        case .flag: value == "true" || value == "false"
        case .word(let words): words.contains(value)
        case .words(let words):
            value.split(separator: ",", omittingEmptySubsequences: false)
                .allSatisfy { words.contains(String($0)) }
        }
    }
}

extension HTTPRoute {
    /// The subprotocol of WebSocket.
    static let subprotocol = "grove.v1"

    /// What a refused request has for a route.
    static let refused = HTTPRoute(.get, "*", .errorPage, "", isPublic: true)

    /// `OPTIONS *`.
    static let serverOptions = HTTPRoute(
        .options, "*", .preflight([.get, .head, .post, .put, .delete, .options]), "the methods",
        isPublic: true, success: 204)

    /// `OPTIONS` of a path with these methods.
    static func options(_ methods: [HTTPMethod]) -> HTTPRoute {
        HTTPRoute(
            .options, "*", .preflight(methods + [.options]), "the methods", isPublic: true,
            success: 204)
    }
}

extension Result where Failure == HTTPRefusal {
    /// The value, or the refusal as an answer.
    fileprivate func refusal() throws(Refusal) -> Success {
        switch self {
        case .success(let value): value
        // The head could be read, so what follows can be, too.
        case .failure(let refusal): throw Refusal(refusal.status, refusal.detail)
        }
    }
}
