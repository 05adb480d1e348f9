@testable import GroveHTTP

/// What a parser makes of some bytes.
enum RequestVerdict: Hashable, CustomStringConvertible {
    /// A whole request: its method, its path with the query, and its body.
    case accepted(method: String, target: String, body: [UInt8])
    /// A refusal with this status, after which nothing is read.
    case refused(Int)
    /// A request that isn't complete.
    case unfinished

    var description: String {
        switch self {
        case .accepted(let method, let target, let body):
            "\(method) \(target) \(String(decoding: body, as: UTF8.self).debugDescription)"
        case .refused(let status): "\(status)"
        case .unfinished: "unfinished"
        }
    }

    /// The verdicts about bytes that come in pieces.
    ///
    /// - Parameters:
    ///   - bytes: All that a client sends.
    ///   - bodyBytesMax: Bytes of the longest body.
    ///   - pieceLength: The length of the piece that begins at an index.
    static func all(
        of bytes: [UInt8], bodyBytesMax: Int, pieceLength: (Int) -> Int
    ) -> [RequestVerdict] {
        var parser = HTTPParser(bodyBytesMax: bodyBytesMax)
        var verdicts: [RequestVerdict] = []
        var head: HTTPRequestHead?
        var body: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(bytes.count, start + max(1, pieceLength(start)))])
            start += piece.count
            var position = 0
            steps: while true {
                switch piece.withUnsafeBytes({ parser.next(in: $0, from: &position) }) {
                case .head(let accepted): head = accepted
                case .body(let range): body += piece[range]
                case .end:
                    verdicts.append(accepted(head, body))
                    head = nil
                    body = []
                case .needsMore: break steps
                case .refusal(let refusal): return verdicts + [.refused(refusal.status)]
                }
            }
        }
        return parser.isInsideRequest ? verdicts + [.unfinished] : verdicts
    }

    private static func accepted(_ head: HTTPRequestHead?, _ body: [UInt8]) -> RequestVerdict {
        let query = (head?.query).map { "?" + String(decoding: $0, as: UTF8.self) }
        let path = String(decoding: head?.path ?? [], as: UTF8.self)
        return .accepted(
            method: head?.method.text ?? "no head", target: path + (query ?? ""), body: body)
    }
}
