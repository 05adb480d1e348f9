import Foundation
import GroveEngine
import GroveProtocol
import OrderedJSON
import Testing

@testable import GroveEffects
@testable import GroveServer
@testable import Transducers

/// Compares the manual's page of limits with the code. Here every row names its constant and the
/// tests that reach it.
@Suite("limits.md")
struct LimitsPageTests {
    /// A row of a table: its cells by column name.
    private struct Row {
        var line: Int
        var cells: [String: String]
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the rows of all tables that have a column `bound`.
    private func rows() throws -> [Row] {
        let url = Self.root.appending(path: "docs/reference/limits.md")
        return Self.rows(of: try String(contentsOf: url, encoding: .utf8))
    }

    private static func rows(of text: String) -> [Row] {
        var rows: [Row] = []
        var columns: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            guard line.hasPrefix("|") else {
                columns = []
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
            if columns.isEmpty {
                columns = cells
            } else if columns.contains("bound"), cells.first != "---" {
                rows.append(
                    Row(
                        line: index + 1,
                        cells: Dictionary(uniqueKeysWithValues: zip(columns, cells))))
            }
        }
        return rows
    }

    @Test func `every row has the value of its constant, and every constant its row`() throws {
        let rows = try rows()
        #expect(rows.count == LimitRows.all.count)
        var left = Dictionary(uniqueKeysWithValues: LimitRows.all.map { ($0.bound, $0) })
        for row in rows {
            let bound = row.cells["bound"] ?? ""
            guard let limit = left.removeValue(forKey: bound) else {
                Issue.record("limits.md:\(row.line): LimitRows doesn't have \"\(bound)\"")
                continue
            }
            #expect(row.cells["value"] == limit.value, "limits.md:\(row.line)")
            #expect(row.cells["key"] ?? "" == (limit.key.map { "`\($0.name)`" } ?? ""))
        }
        #expect(left.keys.sorted() == [], "the page lacks them")
    }

    @Test func `every key of the page has that default`() {
        for limit in LimitRows.all {
            guard let key = limit.key else { continue }
            #expect(
                ConfigurationKey.named(key.name)?.standard == .integer(Int64(key.standard)),
                "\(key.name)")
        }
    }

    @Test func `every row has tests`() throws {
        let names = try testNames()
        for limit in LimitRows.all {
            #expect(!limit.tests.isEmpty, "\(limit.bound)")
            for test in limit.tests {
                #expect(names.contains(test), "\(limit.bound): there is no test `\(test)`")
            }
        }
    }

    /// Constants that limit nothing a user could reach, or that the page describes in other words.
    private static let excuses: Set<String> = [
        // The sizes of turns and of reads.
        "describedStepsPerRead", "expiryRowsPerTurn", "rowBytesPerRead",
        "sequencePartsPerRow", "pageTurnsPerBatch", "rowsOfOneRead", "checkpointsPerTurn",
        "catchUpGroupMax",
        "journaledEffectBytesMax", "journaledEffectsMax", "stopSearchStepsMax",
        "effectStepsSearchedMax", "sortedChunkMax",
        // The comparison of words for a suggestion.
        "comparedLettersMax", "suggestionBytesMax",
        // Units that the rows about publishing use in their text.
        "workOfOneRecord", "bytesOfOneWork",
        // Named in the text about handlers: a longer name is no share.
        "handlerShareBytesMax",
        // A pause that no client sees: a send waits for the start of a child that is held.
        "childWaitMilliseconds",
        // The sizes of kept buffers and caches.
        "keptWriteBytesMax", "keptEffectWritesMax", "unindexedChangesMax", "idleBufferBytesMax",
        "busyBufferBytesMax",
        "rememberedEventBytesMax", "rememberedEventsMax", "rememberedTextsMax",
        "smallReplyBytesMax",
        // Defaults of keys: max-outstanding, and resident-instances under "Memory".
        "commitQueueRequestsDefault", "residentInstancesDefault", "residentBytesDefault",
        // In the page of RATE_LIMITED.
        "retryMilliseconds",
        // Lines of the log, which no client sees.
        "logNotesMax",
        // Named in the text: a share, the two heartbeats, three seconds of silence.
        "shareBytesMin", "heartbeatMissesMax", "stallMilliseconds",
    ]

    @Test(arguments: [
        "Sources/GroveEngine/Limits.swift", "Sources/GroveProtocol/Values/ServerLimits.swift",
    ])
    func `every constant has a row, or an excuse`(path: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        var rows = ""
        for name in ["LimitRows", "LimitRows+Engine", "LimitRows+Effects"] {
            let url = Self.root.appending(path: "Tests/GroveServerTests/Support/\(name).swift")
            rows += try String(contentsOf: url, encoding: .utf8)
        }
        // An engine's options use the same names.
        rows = rows.replacing("EngineOptions().", with: "Limits.")
        let names = text.matches(of: /(?:static let|public var) (\w+)/).map { String($0.1) }
        #expect(names.count > 10)
        for name in names where !Self.excuses.contains(name) {
            #expect(rows.contains("imits.\(name)"), "\(name)")
        }
    }

    @Test func `numbers in the text agree with the code`() throws {
        let url = Self.root.appending(path: "docs/reference/limits.md")
        let text = try String(contentsOf: url, encoding: .utf8)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let limits = ServerLimits()
        let buffers = LimitRow.bytes(limits.bufferBytesMax)
        #expect(NameLookups.threadsMax == 8)
        #expect(CurlLoop.idleTimeMax == .seconds(15))
        for words in [
            "at least \(LimitRow.bytes(ServerLimits.shareBytesMin)), instead of `max-pending`",
            "after the sum of the two, "
                + LimitRow.seconds(limits.lineMilliseconds + limits.slowConsumerMilliseconds),
            "Eight threads look up the names of hosts; one name is always looked up by the same "
                + "thread. \(CurlMulti.connectionsMax) connections",
            "`resident-instances`, \(LimitRow.count(Limits.residentInstancesDefault)), times",
            "`resident-bytes`, \(LimitRow.bytes(Limits.residentBytesDefault)), times",
            "`max-buffers`, \(buffers), and \(LimitRow.bytes(ServerLimits.uncountedBytesMax)) that",
            "up to \(LimitRow.bytes(ServerLimits.busyBufferBytesMax)) more after large replies",
            "and \(LimitRow.bytes(ServerLimits.outstandingBytesMax)) of lines",
            "up to \(2 * HostedClosure.inboxMax) events each",
        ] {
            #expect(text.contains(words), "limits.md doesn't say \"\(words)\"")
        }
    }

    /// Returns the names of all test functions.
    private func testNames() throws -> Set<String> {
        var names: Set<String> = []
        let folder = Self.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(atPath: folder.path)
        while let path = files?.nextObject() as? String {
            if path.contains("/.build") { files?.skipDescendants() }
            guard path.hasSuffix("Tests.swift") || path.contains("Tests+") else { continue }
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /func `([^`]+)`/) { names.insert(String(match.1)) }
        }
        return names
    }

    @Test func `a row without a constant, and one with another value, would be found`() {
        let page = """
            | part | how much |
            |---|---|
            | a | b |

            | bound | value | key | at the bound |
            |---|---|---|---|
            | bytes of a line | 2 MiB | `max-line` | refused |
            """
        let rows = Self.rows(of: page)
        #expect(rows.map(\.line) == [7])
        #expect(
            rows.first?.cells == [
                "bound": "bytes of a line", "value": "2 MiB", "key": "`max-line`",
                "at the bound": "refused",
            ])
        #expect(LimitRow.bytes(1 << 21) == "2 MiB" && LimitRow.bytes(350) == "350 bytes")
        #expect(LimitRow.count(1_048_576) == "1,048,576" && LimitRow.count(64) == "64")
        #expect(LimitRow.seconds(60_000) == "60 s" && LimitRow.seconds(.seconds(5)) == "5 s")
    }
}
