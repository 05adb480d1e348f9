import Glibc
import GroveProtocol
public import Logging
import OrderedJSON

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for programs.
    case json
    /// One line of text, for people.
    case text
}

/// Writes each event as one line, in one system call, so that lines of several queues never mix.
/// Members stand in a fixed order: time, level, message, then the metadata by name.
public struct LineLogHandler: LogHandler {
    /// Events below it are not written.
    public var logLevel: Logger.Level
    /// What every line carries.
    public var metadata: Logger.Metadata = [:]

    private let format: LogFormat
    private let write: @Sendable ([UInt8]) -> Void

    /// A handler that writes to standard error.
    public init(level: Logger.Level, format: LogFormat) {
        self.init(level: level, format: format) { line in
            // A log that can't be written has nobody to be told to.
            _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    /// A handler that hands each line, with its newline, to `write`.
    init(
        level: Logger.Level, format: LogFormat, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        logLevel = level
        self.format = format
        self.write = write
    }

    /// One value that every line carries.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one event.
    public func log(event: LogEvent) {
        let values = metadata.merging(event.metadata ?? [:]) { $1 }
            .map { (name: LogText.escaped($0.key), value: LogText.escaped("\($0.value)")) }
            .sorted { $0.name < $1.name }
        let message = LogText.escaped("\(event.message)")
        let time = TimestampText.string(Clock.time())
        switch format {
        case .json: write(Self.json(time, event.level, message, values))
        case .text: write(Self.text(time, event.level, message, values))
        }
    }

    private static func json(
        _ time: String, _ level: Logger.Level, _ message: String,
        _ values: [(name: String, value: String)]
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.literal(#"{"time":"#)
        writer.string(time)
        writer.literal(#","level":"#)
        writer.string(level.rawValue)
        writer.literal(#","message":"#)
        writer.string(message)
        let own = ["time", "level", "message"]
        for (name, value) in values where !own.contains(name) {
            writer.bytes.append(UInt8(ascii: ","))
            writer.string(name)
            writer.bytes.append(UInt8(ascii: ":"))
            writer.string(value)
        }
        writer.literal("}\n")
        return writer.bytes
    }

    private static func text(
        _ time: String, _ level: Logger.Level, _ message: String,
        _ values: [(name: String, value: String)]
    ) -> [UInt8] {
        var line = "\(time) \(level.rawValue) \(message)"
        for (name, value) in values { line += "  \(name)=\(value)" }
        return Array((line + "\n").utf8)
    }
}

/// The server's loggers.
public enum Log {
    /// A logger that writes to standard error.
    public static func logger(level: Logger.Level, format: LogFormat) -> Logger {
        Logger(label: "grove") { _ in LineLogHandler(level: level, format: format) }
    }

    /// A logger that says nothing.
    public static var silent: Logger { Logger(label: "grove") { _ in SwiftLogNoOpLogHandler() } }
}
