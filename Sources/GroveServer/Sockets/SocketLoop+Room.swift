import GroveEngine
import GroveProtocol
import GroveWire
import Logging

/// Enforcing `max-buffers` (limits.md, "When buffers are short").
extension SocketLoop {
    /// Closes the connections that hold most until there is room again, whatever they wait for.
    /// Connections that hold less than a share stay.
    func closeLargest() {
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
        // Many connections hold little each: checked again once per second.
        isRoomless = closed == 0
        guard closed > 0 else { return }
        overdraftLines.warn(
            log, "buffers were full: those that held most were closed", at: context.now.uptime,
            metadata: ["connections": .stringConvertible(closed)])
    }

    /// Logs that memory is short, or isn't any more.
    func logShortage() {
        guard let isShort = shortageNotice.update(isShort, at: context.now.uptime) else { return }
        log.warning(
            isShort ? "buffers are short" : "buffers are free again",
            metadata: ["bytes": .stringConvertible(context.buffers.bytes)])
    }
}
