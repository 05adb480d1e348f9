import GroveEngine
import Logging

/// What the log tells of the data: of single instances and of the disk. Each kind of line is
/// bounded, because clients can cause them.
extension EngineLoop {
    /// Says that the disk is full, or that there is room again.
    func tellDisk() {
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

    /// Says which of the answers are about something that is stored and can't be read.
    func tellUnreadable(_ replies: [Ready.ReplyTo]) {
        for answer in replies {
            guard case .failure(let failure) = answer.reply, let reason = Self.unreadable(failure)
            else { continue }
            guard let suppressed = unreadableLines.admit(at: Clock.uptime()) else { continue }
            var metadata: Logger.Metadata = ["error": "\(reason)"]
            if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
            log.warning("something that is stored can't be read", metadata: metadata)
        }
    }

    /// Once a second: says how often that was the case and not said.
    func tellUnreadableLeftOut() {
        guard let suppressed = unreadableLines.overdue(at: Clock.uptime()) else { return }
        log.warning(
            "more that is stored can't be read",
            metadata: ["suppressed": .stringConvertible(suppressed)])
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
