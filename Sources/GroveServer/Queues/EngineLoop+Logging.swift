import GroveEngine
import Logging

/// Log lines about the data: unreadable instances and the disk. Each kind of line is limited,
/// because clients can cause them.
extension EngineLoop {
    /// Logs that the disk is full, or that there is room again.
    func logDisk() {
        guard let core,
            let isFull = diskNotice.update(core.engine.isDiskFull, at: Clock.uptime())
        else { return }
        if isFull {
            log.error(
                "the disk is full: nothing is written until there is room",
                metadata: ["data": "\(sourceName)"])
        } else {
            log.notice("there is room on the disk again", metadata: ["data": "\(sourceName)"])
        }
    }

    /// Logs answers about stored data that can't be read.
    func logUnreadable(_ replies: [Ready.ReplyTo]) {
        for answer in replies {
            guard case .failure(let failure) = answer.reply, let reason = Self.unreadable(failure)
            else { continue }
            unreadableLines.warn(
                log, "something that is stored can't be read", at: Clock.uptime(),
                metadata: ["error": "\(reason)"])
        }
    }

    private static func unreadable(_ failure: Failure) -> String? {
        switch failure {
        case .storageCorrupt(let place): place
        case .evaluation(let text) where text.hasPrefix("the stored state"): text
        case .inBatch(_, let failure): unreadable(failure)
        default: nil
        }
    }
}
