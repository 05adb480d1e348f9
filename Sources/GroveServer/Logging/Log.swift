public import Logging

/// The server's loggers.
public enum Log {
    /// A logger that writes to standard error.
    public static func logger(level: Logger.Level, format: LogFormat) -> Logger {
        Logger(label: "grove") { _ in LineLogHandler(level: level, format: format) }
    }

    /// A logger that writes nothing.
    public static var silent: Logger { Logger(label: "grove") { _ in SwiftLogNoOpLogHandler() } }
}
