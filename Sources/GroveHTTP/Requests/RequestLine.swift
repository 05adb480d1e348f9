import GroveWire
import OrderedJSON

/// Writes the line of the line protocol that a request over HTTP means.
///
/// The line is written by the JSON writer, from parts that were checked one by one: text is
/// escaped, a number has only digits, and a body is placed in it only after it was read as JSON.
/// So nothing in a request can become another member than the one that it is for.
enum RequestLine {
    /// The id in every line: a connection has one request at a time.
    static let id: StaticString = "0"

    /// Writes the line of an exchange, with its newline.
    ///
    /// - Parameters:
    ///   - writer: An empty writer.
    ///   - document: A document for the body; its contents are replaced.
    /// - Throws: What is wrong with the body.
    static func write(
        _ exchange: Exchange, to writer: inout JSONWriter, reading document: inout JSONDocument,
        _ settings: HTTPSettings
    ) throws(Refusal) {
        writer.bytes.append(UInt8(ascii: "{"))
        writer.member("op", op(of: exchange.route).rawValue)
        writer.literal(#","id":0"#)
        variables(exchange, &writer)
        if exchange.route.action == .records { selection(exchange, &writer) }
        for (parameter, value) in exchange.query
        where !parameter.member.isEmpty && !parameter.member.contains(".") {
            guard parameter.form != .start else { continue }
            // A browser that connects again has seen the snapshot, and asks in the same words.
            if exchange.lastEvent != nil, parameter.member == "snapshot" { continue }
            member(parameter.member, value, parameter.form, &writer)
        }
        if let key = exchange.key {
            writer.name("dedup")
            key.withUnsafeBytes { writer.string(utf8: $0) }
        }
        writer.member("traceparent", exchange.trace?.text)
        switch exchange.expectation {
        case .version(let version): writer.member("expect", version)
        case .exists: writer.member("expect", "exists")
        case .absent: writer.member("expect", "absent")
        case nil: break
        }
        try body(exchange, &writer, &document, settings)
        writer.literal("}\n")
    }

    private static func op(of route: HTTPRoute) -> Op {
        switch route.action {
        case .op(let op): op
        case .metrics: .stats
        case .diagram: .describe
        case .backup: .backup
        default: .subscribe
        }
    }

    /// Writes the members that the path names.
    private static func variables(
        _ exchange: Exchange, _ writer: inout JSONWriter
    ) {
        guard let machine = exchange.variables["machine"], exchange.route.action != .records else {
            return
        }
        if let name = exchange.variables["name"] {
            let isDescribed = exchange.route.action == .op(.describe)
            writer.name(isDescribed ? "name" : "to")
            writer.bytes.append(UInt8(ascii: "\""))
            machine.withUnsafeBytes { writer.characters(utf8: $0) }
            writer.bytes.append(UInt8(ascii: "/"))
            name.withUnsafeBytes { writer.characters(utf8: $0) }
            writer.bytes.append(UInt8(ascii: "\""))
        } else {
            let isHeld = [.op(.suspend), .op(.resume)].contains(exchange.route.action)
            writer.name(isHeld ? "machine" : "name")
            writer.string(utf8: machine)
        }
        if let effect = exchange.variables["effect"] {
            writer.name("effect")
            // The decoder says what is wrong with other texts.
            if isInteger(effect) { writer.raw(effect) } else { writer.string(utf8: effect) }
        }
    }

    // MARK: Streams

    private static func selection(_ exchange: Exchange, _ writer: inout JSONWriter) {
        writer.literal(#","sub":"r","select":{"#)
        if let machine = exchange.variables["machine"], let name = exchange.variables["name"] {
            writer.name("machine")
            writer.string(utf8: machine)
            writer.name("instance")
            writer.string(utf8: name)
        }
        for (parameter, value) in exchange.query where parameter.member.hasPrefix("select.") {
            member(String(parameter.member.dropFirst(7)), value, parameter.form, &writer)
        }
        writer.bytes.append(UInt8(ascii: "}"))
        if let cursor = exchange.lastEvent {
            writer.literal(#","from":{"after":"#)
            writer.string(utf8: cursor)
            writer.bytes.append(UInt8(ascii: "}"))
            return
        }
        guard let from = exchange.query.first(where: { $0.parameter.form == .start })?.value else {
            return
        }
        writer.name("from")
        let prefix = "last:"
        if from == "now" || from == "first" {
            writer.string(from)
        } else if from.hasPrefix(prefix), isInteger(from.utf8.dropFirst(prefix.utf8.count)) {
            writer.object { $0.member("last", json: Array(from.utf8.dropFirst(prefix.utf8.count))) }
        } else {
            writer.object { $0.member("after", from) }
        }
    }

    // MARK: Values

    private static func member(
        _ name: String, _ value: String, _ form: HTTPParameter.Form, _ writer: inout JSONWriter
    ) {
        writer.comma()
        writer.string(name)
        writer.bytes.append(UInt8(ascii: ":"))
        switch form {
        case .integer, .flag: writer.raw(value.utf8)
        case .text, .word, .start: writer.string(value)
        case .words:
            writer.bytes.append(UInt8(ascii: "["))
            for word in value.split(separator: ",") {
                writer.comma()
                writer.string(String(word))
            }
            writer.bytes.append(UInt8(ascii: "]"))
        }
    }

    /// Whether it is an integer as JSON writes it, of at most 18 digits.
    static func isInteger(_ text: some Collection<UInt8>) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        return (1...18).contains(digits.count)
            && digits.allSatisfy { (0x30...0x39).contains($0) }
            && (digits.first != UInt8(ascii: "0") || digits.count == 1)
    }

    // MARK: Body

    private static func body(
        _ exchange: Exchange, _ writer: inout JSONWriter,
        _ document: inout JSONDocument, _ settings: HTTPSettings
    ) throws(Refusal) {
        let form = exchange.route.body
        guard form != .none, !(form == .members && exchange.body.isEmpty) else { return }
        guard !exchange.body.isEmpty else {
            let what = form == .event ? "the body is the event" : "the body is an object"
            throw Refusal(.badRequest, "\(what), as JSON") { $0.member("at", "$") }
        }
        // An event is one level deeper in its line than in its body.
        let depth = settings.depthMax - (form == .event ? 1 : 0)
        let limits = JSONLimits(
            depthMax: depth, bytesMax: settings.bodyBytesMax,
            valuesMax: max(0, settings.valuesMax - HTTPLimits.valuesBesideBody))
        do throws(JSONError) {
            try document.parse(exchange.body, limits: limits)
        } catch {
            throw Refusal(.badJSON, error.message) { $0.member("at", Int64(error.offset)) }
        }
        guard form != .event else {
            writer.name("event")
            return writer.raw(oneLine(exchange.body))
        }
        guard document.kind(document.root) == .object else {
            throw Refusal(.badRequest, "the body is an object") { $0.member("at", "$") }
        }
        let taken = membersBesideBody(exchange)
        for (name, value) in document.members(of: document.root) {
            let text = document.string(name) ?? ""
            guard !taken.contains(text) else {
                throw Refusal(.badRequest, "\(text) isn't a member of the body here") {
                    $0.member("at", "$.\(text)")
                }
            }
            writer.comma()
            writer.raw(document.text(name))
            writer.bytes.append(UInt8(ascii: ":"))
            writer.raw(oneLine(document.text(value)))
        }
    }

    /// The members that come from elsewhere in the request, and that its body may not have.
    private static func membersBesideBody(_ exchange: Exchange) -> Set<String> {
        var members = exchange.route.membersOfPath.union(["id", "op", "jsonrpc"])
        if exchange.key != nil { members.insert("dedup") }
        if exchange.trace != nil { members.insert("traceparent") }
        members.formUnion(exchange.query.map(\.parameter.member))
        return members
    }

    /// JSON without line breaks, which stand only between its tokens.
    private static func oneLine(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return json }
        return json.filter { $0 != 0x0A && $0 != 0x0D }
    }
}

extension JSONWriter {
    /// Appends a string in quotes, given as valid UTF-8.
    fileprivate mutating func string(utf8 bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { string(utf8: $0) }
    }

    fileprivate mutating func string(utf8 bytes: [UInt8]) { string(utf8: bytes[...]) }
}
