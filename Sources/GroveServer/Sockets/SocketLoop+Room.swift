import GroveEngine
import GroveProtocol
import GroveWire
import Logging

/// Keeping `max-buffers` (limits.md, "When buffers are short").
extension SocketLoop {
    /// More is used than may be: the connections that hold most are closed, whatever they wait for,
    /// until there is room again. Who holds less than a share stays.
    func makeRoom() {
        guard !isRoomless else { return }
        var closed = 0
        let most = connections.values.sorted { $0.countedBytes > $1.countedBytes }
        for connection in most {
            guard !context.buffers.hasRoomAgain,
                connection.countedBytes > ServerLimits.shareBytesMin
            else { break }
            connection.machine.close(.slowConsumer)
            remove(connection)
            closed += 1
        }
        // Small shares of many: looked at again once a second.
        isRoomless = closed == 0
        guard closed > 0 else { return }
        guard let suppressed = overdraftLines.admit(at: context.now.uptime) else { return }
        var metadata: Logger.Metadata = ["connections": .stringConvertible(closed)]
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        log.warning("buffers were full: those that held most were closed", metadata: metadata)
    }

    /// Says that memory is short, or isn't any more.
    func tellShortage() {
        guard let isShort = shortageNotice.look(isShort, at: context.now.uptime) else { return }
        log.warning(
            isShort ? "buffers are short" : "buffers are free again",
            metadata: ["bytes": .stringConvertible(context.buffers.bytes)])
    }

    /// Once a second: logs how often room was made and not logged.
    func tellOverdraftLeftOut() {
        isRoomless = false
        guard let suppressed = overdraftLines.overdue(at: context.now.uptime) else { return }
        log.warning(
            "buffers were full, more than once: those that held most were closed",
            metadata: ["suppressed": .stringConvertible(suppressed)])
    }
}
