import Foundation
import OrderedJSON
import Testing

@testable import GroveClient

/// The refusals after which a client repeats a call, compared with the errors' page ("retry").
@Suite("Calls and refusals")
struct CallTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/reference/errors/README.md")

    /// The kinds of calls that differ in their repeats.
    private enum Kind: CaseIterable {
        case reading, waiting, keyed, settling, keyless

        var request: Request {
            switch self {
            case .reading: return Request.about("c/a", "get")
            case .waiting:
                var request = Request.about("c/a", "await")
                request.setWait(.seconds(1))
                return request
            case .keyed: return Request.send(to: "c/a", event: "1".utf8, dedup: "k")
            case .settling:
                return Request.send(to: "c/a", event: "1".utf8, dedup: "k", settle: .own)
            case .keyless: return Request.about("c/a", "stop")
            }
        }
    }

    /// The codes after which calls are repeated, and which; after all others they fail at once.
    private static let table: [String: Set<Kind>] = [
        "DRAINING": Set(Kind.allCases), "OVERLOADED": Set(Kind.allCases),
        "RATE_LIMITED": Set(Kind.allCases), "STORAGE_FULL": Set(Kind.allCases),
        "NOT_OWNER": Set(Kind.allCases), "SUSPENDED": Set(Kind.allCases),
        "UNAVAILABLE": [.reading, .waiting, .keyed, .settling],
        "STORAGE_ERROR": [.keyed, .settling],
        "TIMEOUT": [.reading, .keyed],
    ]

    /// The codes that leave the outcome unknown.
    private static let open: Set<String> = ["TIMEOUT", "UNAVAILABLE", "STORAGE_ERROR"]

    /// The rows of the page's tables: code, and its entry about retrying.
    private static func rows() throws -> [(code: String, retry: String)] {
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 3, let code = cells[0].firstMatch(of: /`([A-Z_]+)`/) else {
                return nil
            }
            return (String(code.1), cells[1])
        }
    }

    private func call(_ kind: Kind) -> Call {
        Call(
            request: kind.request, reply: PendingReply(client: Client()),
            deadline: .now + .seconds(60), timeout: .seconds(60))
    }

    private func error(_ code: String, retry: Bool) throws -> ServerError {
        let text = #"{"code":"\#(code)","message":"no","retry":\#(retry)}"#
        let document = try JSONDocument(parsing: Array(text.utf8))
        return ServerError(document, at: document.root)
    }

    @Test func `exactly the codes of the errors' page are repeated`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 30 && Set(Self.table.keys).isSubset(of: rows.map(\.code)))
        for (code, retry) in rows {
            let expected = Self.table[code] ?? []
            #expect((retry == "no") == expected.isEmpty, "\(code): \(retry)")
            for kind in Kind.allCases {
                let isRepeated = call(kind).isWorthRepeating(
                    after: try error(code, retry: retry != "no"))
                #expect(isRepeated == expected.contains(kind), "\(code), \(kind)")
                let refused = try error(code, retry: false)
                #expect(!call(kind).isWorthRepeating(after: refused), "\(code), \(kind)")
            }
        }
    }

    @Test func `the outcome is unknown after these codes only`() throws {
        for (code, _) in try Self.rows() {
            let error = ClientError.server(try error(code, retry: true))
            #expect(error.isOutcomeUnknown == Self.open.contains(code), "\(code)")
        }
    }

    @Test func `a call that times out reports the last refusal if it fits`() throws {
        var call = call(.keyed)
        #expect(call.expiry.code == "UNREACHABLE")
        call.lastError = .server(try error("OVERLOADED", retry: true))
        #expect(call.expiry.code == "OVERLOADED")
        // An earlier attempt may have been applied.
        call.isOutcomeUnknown = true
        #expect(call.expiry == .timeout(.seconds(60)))
        call.lastError = .server(try error("STORAGE_ERROR", retry: true))
        #expect(call.expiry.code == "STORAGE_ERROR" && call.expiry.isOutcomeUnknown)
        call.lastError = .unavailable("away")
        #expect(call.expiry == .timeout(.seconds(60)))
    }
}
