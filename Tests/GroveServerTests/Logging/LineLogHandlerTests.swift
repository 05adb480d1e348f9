import Logging
import OrderedJSON
import Synchronization
import Testing

@testable import GroveServer

@Suite("LineLogHandler")
struct LineLogHandlerTests {
    /// The lines that a handler wrote.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: [UInt8]) {
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }

        var all: [String] { lines.withLock { $0 } }
    }

    private func written(
        _ format: LogFormat, _ body: (inout LineLogHandler) -> Void
    ) -> [String] {
        let lines = Lines()
        var handler = LineLogHandler(level: .info, format: format) { lines.add($0) }
        body(&handler)
        return lines.all
    }

    static let hostile = "x\n{\"level\":\"audit\"}\r\u{1B}[2J\u{9B}\u{2028}\u{202E}\u{7F}\"\\ä"

    @Test(arguments: LogFormat.allCases)
    func `an event is one line, however hostile its content`(format: LogFormat) throws {
        let lines = written(format) {
            $0.log(
                event: .init(
                    level: .warning, message: "\(Self.hostile)", metadata: ["k": "\(Self.hostile)"],
                    source: "s", file: "f", function: "f", line: 1))
        }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line.hasSuffix("\n") && line.dropLast().allSatisfy { !$0.isNewline })
        for scalar in line.dropLast().unicodeScalars {
            #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
            #expect(![0x2028, 0x2029, 0x202E].contains(scalar.value))
        }
        #expect(line.contains("ä"))
    }

    @Test func `a JSON line has time, level, message, then the rest by name`() throws {
        let lines = written(.json) {
            $0[metadataKey: "b"] = "2"
            $0.log(
                event: .init(
                    level: .info, message: "m", metadata: ["c": "3", "a": "1", "time": "no"],
                    source: "s", file: "f", function: "f", line: 1))
        }
        let object = try #require(try JSONValue(parsing: Array(lines[0].utf8)).object)
        #expect(object.map(\.name) == ["time", "level", "message", "a", "b", "c"])
        #expect(object["level"] == "info" && object["b"] == "2")
    }

    @Test func `integers are numbers in JSON, and texts of digits are texts`() throws {
        let lines = written(.json) {
            $0.log(
                event: .init(
                    level: .info, message: "m",
                    metadata: [
                        "count": .stringConvertible(6), "bytes": .stringConvertible(UInt64.max),
                        "text": "6", "other": .stringConvertible(1.5),
                    ], source: "s", file: "f", function: "f", line: 1))
        }
        let line = try #require(lines.first)
        #expect(line.contains(#""bytes":18446744073709551615,"count":6,"#))
        #expect(line.contains(#""other":"1.5","text":"6""#))
    }

    @Test(arguments: LogFormat.allCases)
    func `a line fits into one write to a pipe`(format: LogFormat) throws {
        let long = String(repeating: "\"", count: 10_000)
        let lines = written(format) {
            $0.log(
                event: .init(
                    level: .info, message: "\(long)", metadata: ["a": "\(long)", "b": "\(long)"],
                    source: "s", file: "f", function: "f", line: 1))
        }
        let line = try #require(lines.first)
        #expect(line.utf8.count <= LogOutput.lineBytesMax)
        #expect(line.utf8.count > 1_000)
    }

    @Test func `long values are shortened`() {
        let text = LogText.escaped(String(repeating: "ä", count: 3_000))
        #expect(text.utf8.count <= LogText.bytesMax + 3)
        #expect(text.hasSuffix("ä…"))
        #expect(LogText.escaped("short") == "short")
    }

    @Test func `loggers are made as configured`() {
        var configuration = ServerConfiguration()
        configuration.logLevel = .error
        #expect(configuration.logger.logLevel == .error)
        Log.silent.critical("nobody hears this")
    }
}
