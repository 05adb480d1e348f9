public import Logging

/// A logger for servers without a log.
public enum Log {
    /// A logger that writes nothing.
    public static var silent: Logger { Logger(label: "grove") { _ in SwiftLogNoOpLogHandler() } }
}
