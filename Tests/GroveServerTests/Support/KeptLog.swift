import Logging
import Synchronization

@testable import GroveServer

/// A log that keeps its lines, so that tests can read them.
final class KeptLog: Sendable {
    private let written = Mutex<[String]>([])

    /// Returns a logger that writes here, one line of text per event.
    func logger(level: Logger.Level = .info) -> Logger {
        Logger(label: "grove") { _ in
            LineLogHandler(level: level, format: .text) { line in
                self.written.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
    }

    /// Returns the lines that contain this text.
    func lines(with text: String) -> [String] {
        written.withLock { $0.filter { $0.contains(text) } }
    }
}
