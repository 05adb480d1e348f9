import Foundation
import GroveHTTP
import GroveProtocol
import GroveTestSupport
import GroveWire

/// Plays a conversation over HTTP to a server in memory, and writes down what comes back.
///
/// `> …` is a line of a request, `< …` of its answer, `! …` something that happens, `# …` a word to
/// the reader. The lines of a request follow each other; an empty one stands before the body. The
/// player adds the version, `Host`, and for a body its length and `Content-Type`, where the request
/// has none. Answers are shown without the fields that all have, and `= …` is the end of the
/// connection.
final class HTTPPlayer {
    private let lines: [String]
    private var talk: HTTPTalk?
    private var client: HTTPTalk.Client?
    private var settings = HTTPSettings()
    private var limits = ServerLimits()
    /// The last token that the server has made, for `{token}`.
    private var token = ""
    private(set) var transcript: [String] = []
    /// The requests that the present client waits for.
    private var waiting: [HTTPExchange] = []
    /// Every answer that is no stream.
    private(set) var exchanges: [HTTPExchange] = []
    /// The JSON of every record and mark of streams.
    private(set) var records: [String] = []

    /// Fields that every answer has, or that change with the time.
    private static let usual: Set<String> = [
        "date", "x-content-type-options", "cross-origin-resource-policy", "referrer-policy",
        "content-length",
    ]

    /// Lines and bytes of a line that are shown of a body; the rest is tested elsewhere.
    private static let shownLinesMax = 6
    private static let shownBytesMax = 1_200

    init(text: String) { lines = text.components(separatedBy: "\n").dropLast() }

    func play() throws {
        var request: [String] = []
        for line in lines + [""] {
            if line.hasPrefix(">") {
                if Self.beginsRequest(line), !request.isEmpty {
                    try send(request)
                    request = []
                }
                request.append(String(line.dropFirst(line.hasPrefix("> ") ? 2 : 1)))
                continue
            }
            if !request.isEmpty {
                try send(request)
                request = []
            }
            if line.hasPrefix("! ") {
                transcript.append(line)
                try obey(line.dropFirst(2).split(separator: " ").map(String.init))
            } else if line.hasPrefix("#") || line.isEmpty {
                transcript.append(line)
            } else if !line.hasPrefix("<") && !line.hasPrefix("=") {
                throw TestProblem("what is this line? \(line)")
            }
        }
        transcript.removeLast()
    }

    /// Whether a line is the first one of a request.
    private static func beginsRequest(_ line: String) -> Bool {
        let words = line.dropFirst(2).split(separator: " ")
        return words.count > 1 && words[0].allSatisfy { $0.isUppercase }
            && (words[1].hasPrefix("/") || words[1] == "*")
    }

    private func running() throws -> HTTPTalk {
        if let talk { return talk }
        let made = try HTTPTalk(settings, limits: limits)
        talk = made
        return made
    }

    private func present() throws -> HTTPTalk.Client {
        if let client { return client }
        let made = try running().connect()
        client = made
        waiting = []
        return made
    }

    private func send(_ request: [String]) throws {
        transcript += request.map { $0.isEmpty ? ">" : "> \($0)" }
        let parts = request.split(separator: "", maxSplits: 1, omittingEmptySubsequences: false)
        var head = Array(parts[0])
        let body = parts.count > 1 ? parts[1].joined(separator: "\n") : nil
        func has(_ name: String) -> Bool {
            head.dropFirst().contains { $0.lowercased().hasPrefix(name + ":") }
        }
        if !head[0].hasSuffix("HTTP/1.0") { head[0] += " HTTP/1.1" }
        if !has("host") { head.append("Host: localhost") }
        if let body {
            if !has("content-length"), !has("transfer-encoding") {
                head.append("Content-Length: \(body.utf8.count)")
            }
            if !has("content-type") { head.append("Content-Type: application/json") }
        }
        let text = (head.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
            .replacingOccurrences(of: "{token}", with: token)
        let client = try present()
        waiting.append(HTTPExchange(request: parts[0][0], body: body))
        try running().send(Array(text.utf8), from: client)
        try show()
    }

    /// Writes down what the client got.
    private func show() throws {
        guard let client else { return }
        var bytes = client.take()[...]
        while !bytes.isEmpty { bytes = showOne(bytes) }
        if let reason = client.http.end {
            transcript.append("= closed \(reason.rawValue)")
            self.client = nil
        }
    }

    /// Writes down an answer, or a part of a stream; returns what follows it.
    private func showOne(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 "), let end = text.range(of: "\r\n\r\n") else {
            // By bytes: CR and LF are one character.
            for line in bytes.split(separator: 10) where !line.elementsEqual([13]) {
                let text = String(decoding: line.filter { $0 != 13 }, as: UTF8.self)
                transcript.append("< " + text)
                if let start = text.firstIndex(of: "{") { records.append(String(text[start...])) }
            }
            return []
        }
        let head = text[..<end.lowerBound].components(separatedBy: "\r\n")
        transcript.append("< " + head[0].dropFirst("HTTP/1.1 ".count))
        var length = 0
        var exchange = HTTPExchange(status: Int(head[0].dropFirst(9).prefix(3)) ?? 0)
        for field in head.dropFirst() {
            let name = field.prefix { $0 != ":" }.lowercased()
            if name == "content-length" {
                length = Int(field.drop { $0 != ":" }.dropFirst(2)) ?? 0
            }
            if name == "content-type" {
                exchange.type = String(field.drop { $0 != ":" }.dropFirst(2))
            }
            if !Self.usual.contains(name), field != "Cache-Control: no-store" {
                transcript.append("< \(field)")
            }
        }
        let rest = Array(text[end.upperBound...].utf8)
        let isHead = rest.isEmpty
        let body = rest.prefix(isHead ? 0 : length)
        exchange.answer = Array(body)
        note(exchange)
        if !body.isEmpty {
            let lines = String(decoding: body, as: UTF8.self).components(separatedBy: "\n")
                .filter { !$0.isEmpty }
            for line in lines.prefix(Self.shownLinesMax) {
                let isLong = line.utf8.count > Self.shownBytesMax
                transcript.append(
                    "< " + (isLong ? line.prefix(Self.shownBytesMax) + "…" : line))
            }
            if lines.count > Self.shownLinesMax { transcript.append("< …") }
        }
        return rest.dropFirst(body.count)[...]
    }

    /// Keeps an answer with the request that it is for.
    private func note(_ exchange: HTTPExchange) {
        guard exchange.status >= 200 else { return }
        var exchange = exchange
        if !waiting.isEmpty {
            let asked = waiting.removeFirst()
            (exchange.request, exchange.body) = (asked.request, asked.body)
        }
        exchanges.append(exchange)
    }

    private func obey(_ words: [String]) throws {
        let rest = Array(words.dropFirst())
        switch words[0] {
        case "hosts": settings.hosts = Set(rest)
        case "origins": settings.origins = Set(rest)
        case "max_line": limits.lineBytesMax = Int(rest.first ?? "") ?? 0
        case "console":
            settings.assets[Array("/".utf8)] = .init(
                type: "text/html; charset=utf-8", bytes: Array("<!doctype html>".utf8),
                packed: Array("(packed)".utf8))
            settings.assets[Array("/assets/1/app.js".utf8)] = .init(
                type: "text/javascript", bytes: Array("go()".utf8), packed: Array("(longer)".utf8))
        case "new": client = nil
        case "tick":
            try running().tick(milliseconds: Int64(rest.first ?? "") ?? 0)
            try show()
        case "copy":
            // Turns of the backup under way.
            for _ in 0..<(Int(rest.first ?? "") ?? 0) { try running().server.copySome() }
        case "drain":
            try running().drain()
            try show()
        case "finish":
            try running().finish()
            try show()
        case "end":
            try running().endStream(of: present())
            try show()
        case "raw":
            let text = rest.joined(separator: " ").replacingOccurrences(of: "\\r", with: "\r")
                .replacingOccurrences(of: "\\n", with: "\n")
                .replacingOccurrences(of: "\\x16\\x03\\x01", with: "\u{16}\u{3}\u{1}")
                .replacingOccurrences(of: "{token}", with: token)
            try running().send(Array(text.utf8), from: present())
            try show()
        case "owner":
            // A line of a client on a Unix socket, of the user that runs the server.
            let origin = ClientOrigin(address: "unix", isLocal: true, isOwner: true)
            let id = try running().server.connect(as: origin)
            _ = try running().server.read(id)
            try running().server.receive(
                Array((rest.joined(separator: " ") + "\n").utf8), from: id)
            try running().server.flush()
            let reply = String(decoding: try running().server.read(id), as: UTF8.self)
            transcript.append("< " + reply.trimmingCharacters(in: .newlines))
            if let match = reply.firstMatch(of: /"token":"([^"]+)"/) { token = String(match.1) }
            try running().tick(milliseconds: 1)
            try show()
        default: throw TestProblem("what is ! \(words[0])?")
        }
    }
}
