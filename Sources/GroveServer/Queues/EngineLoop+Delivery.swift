import GroveEngine
import GroveProtocol

/// Large replies on their way to clients.
extension EngineLoop {
    /// Counts the large replies to connections. While the io side has many bytes of them to write,
    /// the engine applies no requests: their replies would only wait after these.
    func countReplies(_ ready: Ready) {
        for index in ready.replies.indices where ready.replies[index].weight > 0 {
            let weight = ready.replies[index].weight
            intake.post(weight, to: ready.replies[index].connection)
            undelivered += weight
        }
        if intake.waitsForPages, let free = core?.engine.freePages {
            intake.resumePageWaiters(free)
            if !intake.isEmpty { postFlush() }
        }
        if undelivered >= ServerLimits.undeliveredBytesMax { waitForReceiver() }
    }

    /// Records and large replies left a connection's buffer: resumes its subscriptions and its
    /// requests if they had paused.
    func delivered(_ report: DeliveryReport, to connection: ConnectionID) {
        core?.engine.drained(connection, through: report.records)
        intake.accepted(report.replies, by: connection)
        if !intake.isEmpty { postFlush() }
        postWork()
    }

    private func waitForReceiver() {
        guard !isReceiverBehind else { return }
        isReceiverBehind = true
        undelivered = 0
        afterReceiver { loop in
            loop.isReceiverBehind = false
            if !loop.intake.isEmpty { loop.postFlush() }
            loop.postWork()
        }
    }
}
