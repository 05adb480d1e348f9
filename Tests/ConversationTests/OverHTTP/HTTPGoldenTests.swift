import Foundation
import GroveTestSupport
import GroveWire
import Testing

@testable import GroveHTTP

@Suite("golden conversations over HTTP")
struct HTTPGoldenTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("GoldenHTTP")

    // A folder that can't be read has no names, and the test of the codes misses them.
    static let names =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()

    static func text(of name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent("\(name).txt"), encoding: .utf8)
    }

    @Test(arguments: names)
    func `the server answers as written`(name: String) throws {
        let text = try Self.text(of: name)
        let player = HTTPPlayer(text: text)
        try player.play()
        let actual = player.transcript.joined(separator: "\n") + "\n"
        if GoldenFolder.isUpdating {
            let file = Self.folder.appendingPathComponent("\(name).txt")
            try actual.write(to: file, atomically: true, encoding: .utf8)
        } else if actual != text {
            let difference = Difference.of(
                expected: text.components(separatedBy: "\n").dropLast(),
                actual: player.transcript)
            Issue.record(
                """
                \(name).txt differs (- is the file, + is the server):
                \(difference)
                If the server is right: UPDATE_GOLDEN=1 swift test --filter HTTPGoldenTests
                """)
        }
    }

    @Test func `every route is asked for once`() throws {
        let all = try Self.names.map(Self.text).joined()
        for route in HTTPRoute.all {
            let parts = route.template.split(separator: "/").map {
                $0.hasPrefix("{") ? "[^/ ?]+" : NSRegularExpression.escapedPattern(for: String($0))
            }
            let pattern =
                "> \(route.method.text) /" + parts.joined(separator: "/")
                + "(\\?[^ \n]*)?( HTTP/1.0)?\n"
            #expect(
                all.range(of: pattern, options: .regularExpression) != nil,
                "\(route.method.text) \(route.template)")
        }
    }

    @Test func `every op has a route, or a reason for none`() {
        for op in Op.allCases {
            let hasRoute = HTTPRoute.all.contains {
                $0.action == .op(op) || op == .subscribe && $0.action == .records
                    || op == .backup && $0.action == .backup
            }
            #expect(hasRoute != (HTTPRoute.opsWithoutRoute[op] != nil), "\(op.rawValue)")
        }
    }
}
