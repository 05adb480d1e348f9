import Logging
import Synchronization

@testable import GroveServer

/// A log in memory, for tests of the log lines.
final class KeptLog: Sendable {
    private let written = Mutex<[String]>([])

    /// A logger that writes here, one line of text an event.
    func logger(level: Logger.Level = .info) -> Logger {
        Logger(label: "grove") { _ in
            LineLogHandler(level: level, format: .text) { line in
                self.written.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
    }

    /// The lines that have this text.
    func lines(with text: String) -> [String] {
        written.withLock { $0.filter { $0.contains(text) } }
    }
}
