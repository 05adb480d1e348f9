import GroveEngine
import GroveProtocol
import GroveWire
import Logging

/// Logging clients that use another protocol: a web page may have sent a browser.
extension SocketLoop {
    /// Logs that a client was rejected for its protocol, or counts it.
    func logForeign(_ connection: Connection) {
        guard let suppressed = foreignLines.admit(at: context.now.uptime) else { return }
        var metadata: Logger.Metadata = [
            "connection": "c-\(connection.machine.id.value)",
            "peer": "\(connection.peer?.description ?? "unix")",
            "reason": "\(connection.machine.closing?.rawValue ?? "")",
        ]
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        log.warning("a client spoke another protocol and was turned away", metadata: metadata)
    }

    /// Logs the number of clients that were counted and not logged. Called once per second.
    func logSuppressedForeign() {
        guard let suppressed = foreignLines.overdue(at: context.now.uptime) else { return }
        log.warning(
            "more clients spoke another protocol and were turned away",
            metadata: ["suppressed": .stringConvertible(suppressed)])
    }
}
