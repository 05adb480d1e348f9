import BuiltInMachines
import Foundation
import GroveEngine
import GroveProtocol
import GroveTestSupport
import OrderedJSON

extension FuzzTarget {
    /// Client lines with any content. Every line that the server writes must be JSON, and its
    /// answers must not depend on where the bytes were cut.
    static let request = FuzzTarget(
        "request",
        words: [
            "{\"op\":\"send\",\"id\":1,\"to\":\"counter/a\",\"event\":\"increment\"}\n",
            "{\"op\":\"subscribe\",\"id\":2,\"sub\":\"s\",\"from\":\"first\"}\n",
            "\"expect\":\"absent\"", "\"dedup\":\"k\"", "\"snapshot\":true", "\"credit\":1",
            "\"kind\":[\"trace\"]", "\"order\":\"strict\"", "\"proto\":1", "\"limit\":1", "\n",
            "\"at\":0", "{\"type\":\"add\",\"amount\":5}", "null", "\"\\ud800\"", "-1", "1.0",
            "\"op\":\"get\"", "\"op\":\"list\"", "\"op\":\"history\"", "\"op\":\"delete\"",
            "\"op\":\"stop\"", "\"op\":\"create\"", "turnstile/a", "\"COIN\"", "order/a",
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"get\",\"params\":{\"to\":\"counter/a\"}}\n",
            "{\"jsonrpc\":\"2.0\",\"method\":\"subscribe\",\"params\":{\"sub\":\"r\"}}\n",
            "{\"op\":\"batch\",\"id\":4,\"items\":[{\"to\":\"counter/a\",\"event\":\"reset\"}]}\n",
            "\"jsonrpc\":\"2.0\"", "\"params\":{", "\"params\":[", "\"method\":", "\"items\":[",
            "\"atomic\":true", "\"op\":\"can\"", "\"op\":\"describe\"", "\"name\":\"order\"", "[{",
            "POST / HTTP/1.1\r\n", " HTTP/1.1\n", "GET /", "PRI * HTTP/2.0\r\n\r\n",
            "\u{16}\u{3}\u{1}",
            "Content-Type: text/plain;charset=UTF-8\r\n\r\n",
        ],
        smokeInputs: 3_000
    ) { input in
        let whole = try answers([input[...]])
        let middle = input.count / 2
        let pieces = try answers([input[..<middle], input[middle...]])
        guard whole == pieces else {
            throw Finding("cut in the middle: \(text(pieces)), whole: \(text(whole))")
        }
        let lines = try withoutForeignAnswer(whole)
        for line in lines.split(separator: 10) where (try? JSONValue(parsing: Array(line))) == nil {
            throw Finding("not JSON: \(text(Array(line)))")
        }
        guard lines.last == 10 else { throw Finding("half a line: \(text(whole))") }
    }

    /// Returns the output before the answer to a client that speaks HTTP or TLS. That answer is the
    /// last one, if there is one.
    private static func withoutForeignAnswer(_ bytes: [UInt8]) throws -> [UInt8] {
        let alert: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]
        if bytes.suffix(alert.count) == alert[...] { return Array(bytes.dropLast(alert.count)) }
        let head = Array("HTTP/1.1 400 Bad Request\r\n".utf8)
        // Searched at the start of a line: inside a line it is an echo of the client's text.
        let begin = bytes.indices.first { place in
            (place == 0 || bytes[place - 1] == 10) && bytes[place...].starts(with: head)
        }
        guard let begin else { return bytes }
        let answer = text(Array(bytes[begin...]))
        guard answer.hasSuffix("protocol.md.\n"),
            answer.components(separatedBy: "HTTP/1.1").count == 2
        else { throw Finding("more than one answer: \(answer)") }
        return Array(bytes[..<begin])
    }

    private static func answers(_ pieces: [ArraySlice<UInt8>]) throws -> [UInt8] {
        var limits = ServerLimits()
        limits.lineBytesMax = 300
        let server = InMemoryServer(
            catalogue: try Catalogue(BuiltInMachines.definitions), store: MemoryStore(),
            limits: limits, now: Moment(uptime: 0, time: Timestamp(milliseconds: 0)))
        let id = server.connect()
        for piece in pieces where !piece.isEmpty { try server.receive(piece, from: id) }
        try server.flush()
        while server.hasBackgroundWork { try server.work() }
        return try server.read(id)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
