import GroveEngine
import GroveNetwork
import GroveProtocol

extension SocketLoop {
    /// Looks at a connection after a change, and reports to the engine what its client has
    /// accepted.
    func takeStock(of connection: Connection) -> ConnectionMachine.Stock {
        let stock = connection.machine.takeStock(using: &context)
        if let report = stock.report {
            let id = connection.machine.id
            engine.post { $0.delivered(report, to: id) }
        }
        return stock
    }

    /// Lets a connection accept more of what it has got in another turn.
    func postResume(_ connection: Connection) {
        guard !connection.isResumePosted else { return }
        connection.isResumePosted = true
        let id = connection.machine.id.value
        post { $0.resume(id) }
    }
}
