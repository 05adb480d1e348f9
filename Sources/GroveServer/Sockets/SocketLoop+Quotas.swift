import Dispatch
import GroveAccess
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveWire

/// Bounds on clients: on those that must still say who they are, and by the quotas of principals.
extension SocketLoop {
    // MARK: Clients that nobody knows

    /// Counts an open connection whose client must say who it is. The oldest one goes if there are
    /// too many, over all or of one address.
    func countUnknown(_ connection: Connection) {
        guard connection.machine.mustSayWho else { return }
        connection.isCountedUnknown = true
        let oldest = unknowns.add(
            connection.machine.id.value, of: connection.peer, at: context.now.uptime,
            max: context.limits.handshakesMax, perPeerMax: context.limits.handshakesPerPeerMax)
        guard let oldest, let displaced = connections[oldest] else { return }
        displaced.isCountedUnknown = false
        displaced.machine.close(.unauthenticated)
        remove(displaced)
    }

    /// No longer counts a connection so, because its client is known or it is closed.
    func endUnknown(_ connection: Connection) {
        connection.isCountedUnknown = false
        unknowns.remove(connection.machine.id.value)
    }

    // MARK: Quotas

    /// Keeps a connection that isn't read because its principal uses as much as it may, so that it
    /// is read again.
    func hold(_ connection: Connection) {
        guard let use = connection.machine.use else { return }
        use.waiting.insert(connection.machine.id.value)
        guard let end = use.restsUntil, !use.isRestNoted else { return }
        use.isRestNoted = true
        postEndOfRest(of: connection.machine.principal, at: end)
    }

    private func postEndOfRest(of principal: UInt32, at uptime: Int64) {
        let milliseconds = max(1, uptime - context.now.uptime)
        let deadline = DispatchTime.now() + .milliseconds(Int(clamping: milliseconds))
        executor.queue.asyncAfter(deadline: deadline) { [weak self] in
            self?.assumeIsolated { $0.endRest(of: principal) }
        }
    }

    private func endRest(of principal: UInt32) {
        refreshNow()
        if let later = context.endRest(of: principal) {
            postEndOfRest(of: principal, at: later)
        }
        readRelieved()
    }

    /// Reads the connections of principals again that may use more.
    func readRelieved() {
        for use in context.takeRelieved() {
            for id in use.takeWaiting().sorted() {
                guard let connection = connections[id] else { continue }
                update(connection)
            }
        }
    }
}
