import GroveEngine
import GroveProtocol
import GroveWire
import Logging

/// Telling the operator of clients that speak another protocol: a browser among them may have been
/// sent by a web page.
extension SocketLoop {
    /// Logs that a client was turned away for what it spoke, or counts it.
    func tellForeign(_ connection: Connection) {
        guard let suppressed = foreignLines.admit(at: context.now.uptime) else { return }
        var metadata: Logger.Metadata = [
            "connection": "c-\(connection.machine.id.value)",
            "peer": "\(connection.peer?.description ?? "unix")",
            "reason": "\(connection.machine.closing?.rawValue ?? "")",
        ]
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        log.warning("a client spoke another protocol and was turned away", metadata: metadata)
    }

    /// Once a second: logs how many were counted and not logged.
    func tellForeignLeftOut() {
        guard let suppressed = foreignLines.overdue(at: context.now.uptime) else { return }
        log.warning(
            "more clients spoke another protocol and were turned away",
            metadata: ["suppressed": .stringConvertible(suppressed)])
    }
}
