import Dispatch
import GroveEngine
import GroveHTTP
import GroveNetwork
import GroveProtocol
import GroveWire

/// Drawings of machines, which another thread makes: a large one takes longer than a commit.
extension SocketLoop {
    /// Has a machine drawn for a connection, or answers with a drawing that was kept.
    func draw(
        _ order: DrawingOrder, for channel: HTTPChannel, of connection: Connection
    ) {
        switch drawings.take(order, for: connection.machine.id) {
        case .kept(let outcome): channel.connection.finish(outcome, using: &http)
        case .full: channel.connection.finish(.overloaded, using: &http)
        case .waits: return drawNext()
        }
        closeIfClosing(connection)
    }

    private func drawNext() {
        guard let order = drawings.begin() else { return }
        drawingThread.async { [self] in
            let outcome = DrawingDesk.draw(order)
            post { $0.finishDrawing(outcome) }
        }
    }

    private func finishDrawing(_ outcome: DrawingOutcome) {
        refreshNow()
        refreshHTTP()
        let clients = drawings.end(outcome)
        drawNext()
        for client in clients {
            guard let connection = connections[client.value], let channel = connection.http else {
                continue
            }
            http.work = HTTPLimits.workPerTurnMax
            channel.connection.finish(outcome, using: &http)
            closeIfClosing(connection)
            update(connection)
        }
    }

    /// Closes a connection that was only left open for its drawing.
    private func closeIfClosing(_ connection: Connection) {
        if drawings.isClosing, connection.machine.closing == nil {
            connection.machine.close(.serverShutdown)
        }
    }
}
