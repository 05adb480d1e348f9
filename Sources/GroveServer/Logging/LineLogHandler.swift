import Glibc
import GroveProtocol
public import Logging
import OrderedJSON

/// Writes each event as one line, in one system call, so that lines of several queues never mix.
/// Members have a fixed order: time, level, message, then the metadata by name.
public struct LineLogHandler: LogHandler {
    /// Events below it are not written.
    public var logLevel: Logger.Level
    /// The metadata of every line.
    public var metadata: Logger.Metadata = [:]

    private let format: LogFormat
    private let write: @Sendable ([UInt8]) -> Void

    /// A handler that writes to standard error, and never waits long for its reader.
    public init(level: Logger.Level, format: LogFormat) {
        let format = format.resolved
        self.init(level: level, format: format) { line in
            LogOutput.standardError.write(line) { droppedCount in
                Self.line(
                    format, .warning, "log lines dropped: standard error was not read",
                    ["lines": .stringConvertible(droppedCount)])
            }
        }
    }

    /// A handler that passes each line, with its newline, to `write`.
    init(level: Logger.Level, format: LogFormat, write: @escaping @Sendable ([UInt8]) -> Void) {
        logLevel = level
        self.format = format.resolved
        self.write = write
    }

    /// One value of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one event.
    public func log(event: LogEvent) {
        write(
            Self.line(
                format, event.level, "\(event.message)",
                metadata.merging(event.metadata ?? [:]) { $1 }))
    }

    /// A line with its newline, at most ``LogOutput/lineBytesMax`` long: long values are cut.
    private static func line(
        _ format: LogFormat, _ level: Logger.Level, _ message: String,
        _ metadata: Logger.Metadata
    ) -> [UInt8] {
        let time = TimestampText.string(Clock.time())
        var bytesMax = LogText.bytesMax
        while true {
            let values = metadata.map {
                LogValue(name: $0.key, value: $0.value, bytesMax: bytesMax)
            }.sorted { $0.name < $1.name }
            let message = LogText.escaped(message, bytesMax: bytesMax)
            let line =
                format == .text
                ? text(time, level, message, values) : json(time, level, message, values)
            if line.count <= LogOutput.lineBytesMax || bytesMax < 16 { return line }
            bytesMax /= 2
        }
    }

    private static func json(
        _ time: String, _ level: Logger.Level, _ message: String, _ values: [LogValue]
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.literal("{")
        writer.member("time", time)
        writer.member("level", level.rawValue)
        writer.member("message", message)
        let own = ["time", "level", "message"]
        for value in values where !own.contains(value.name) {
            writer.comma()
            writer.string(value.name)
            writer.bytes.append(UInt8(ascii: ":"))
            if value.isNumber {
                writer.bytes += value.text.utf8
            } else {
                writer.string(value.text)
            }
        }
        writer.literal("}\n")
        return writer.bytes
    }

    private static func text(
        _ time: String, _ level: Logger.Level, _ message: String, _ values: [LogValue]
    ) -> [UInt8] {
        var line = "\(time) \(level.rawValue) \(message)"
        for value in values { line += "  \(value.name)=\(value.text)" }
        return Array((line + "\n").utf8)
    }
}

/// A member of a log line.
private struct LogValue {
    let name: String
    let text: String
    /// Whether the text is an integer, which JSON has without quotes.
    let isNumber: Bool

    init(name: String, value: Logger.MetadataValue, bytesMax: Int) {
        self.name = LogText.escaped(name, bytesMax: bytesMax)
        if case .stringConvertible(let number) = value, let integer = number as? any BinaryInteger {
            text = "\(integer)"
            isNumber = true
        } else {
            text = LogText.escaped("\(value)", bytesMax: bytesMax)
            isNumber = false
        }
    }
}
