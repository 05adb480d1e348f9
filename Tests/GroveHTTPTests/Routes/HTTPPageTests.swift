import Foundation
import GroveWire
import Testing

@testable import GroveHTTP

/// Compares the manual's page with the table of routes and the statuses.
@Suite("http.md", .serialized)
struct HTTPPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/reference/http.md")

    private static var routes: [String] {
        HTTPRoute.all.map { route in
            let path = route.template.replacing("/v1/instances/{machine}/{name}", with: "I")
            let names = route.parameters.map { "`\($0.name)`" }.joined(separator: " ")
            let op: String =
                switch route.action {
                case .op(let op): "[`\(op.rawValue)`](protocol.md#\(op.rawValue))"
                case .records: "[`subscribe`](protocol.md#subscribe)"
                case .metrics: "[`stats`](protocol.md#stats)"
                case .backup: "[`backup`](protocol.md#backup)"
                case .diagram: "[`describe`](protocol.md#describe)"
                default: ""
                }
            return "| `\(route.method.text) \(path)` | \(op) | \(names) | \(route.summary) |"
        }
    }

    /// Codes that nothing answers with yet, so that they have no page.
    private static let unused: Set<ErrorCode> = [.notOwner, .unavailable, .internalError]

    private static var statuses: [String] {
        Dictionary(grouping: ErrorCode.allCases, by: \.status).sorted { $0.key < $1.key }.map {
            let codes = $0.value.map { code in
                unused.contains(code)
                    ? "`\(code.rawValue)`" : "[`\(code.rawValue)`](errors/\(code.rawValue).md)"
            }
            return "| \($0.key) | \(codes.joined(separator: " ")) |"
        }
    }

    @Test(arguments: ["route", "status"])
    func `a table of the page is the one of the code`(table: String) throws {
        let expected = table == "route" ? Self.routes : Self.statuses
        var lines = try String(contentsOf: Self.page, encoding: .utf8)
            .components(separatedBy: "\n")
        let head = try #require(lines.firstIndex { $0.hasPrefix("| \(table) |") })
        let begin = head + 2
        let end = lines[begin...].firstIndex { !$0.hasPrefix("|") && !$0.hasPrefix("{") } ?? begin
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            lines.replaceSubrange(begin..<end, with: expected)
            try lines.joined(separator: "\n")
                .write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(
                Array(lines[begin..<end]) == expected,
                "UPDATE_GOLDEN=1 swift test --filter HTTPPageTests writes it")
        }
    }
}
