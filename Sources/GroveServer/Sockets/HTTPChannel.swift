import GroveHTTP
import GroveProtocol
import GroveWire

/// The HTTP of one connection. Confined to the io queue.
final class HTTPChannel {
    /// The connection without its socket.
    // Unchecked, as `Connection.machine` is, for the same reason.
    @exclusivity(unchecked) var connection: HTTPConnection
    /// Whether its address only reads.
    let isReadOnly: Bool
    /// Bytes that were read and wait, because a request has no answer yet.
    @exclusivity(unchecked) var backlog: [UInt8] = []

    /// Bytes that were read and count for nobody yet, because the head isn't complete that says
    /// whose they are.
    @exclusivity(unchecked) var unspentBytes = 0

    init(_ context: borrowing HTTPContext, isReadOnly: Bool) {
        connection = HTTPConnection(context)
        self.isReadOnly = isReadOnly
    }

    /// Whether the client's stream has ended.
    @exclusivity(unchecked) var isHalfClosed = false
    /// Whether heartbeats are sent.
    private var beats = false

    /// Turns lines of the protocol into bytes for the client, as many as may wait.
    func translate(from machine: inout ConnectionMachine, using context: inout HTTPContext) {
        if machine.closing == .connectionLimit { connection.endsWithAnswer = true }
        while !machine.outbound.isEmpty, connection.acceptsLines {
            machine.outbound.send { connection.translate($0, using: &context) }
        }
        if connection.isOpenEnded, !beats {
            beats = true
            if connection.answersHeartbeats {
                machine.change(.answered)
            } else {
                machine.change(
                    .unanswered, milliseconds: HTTPLimits.streamHeartbeatMilliseconds)
            }
        }
        if let reason = machine.closing, machine.outbound.isEmpty, connection.end == nil {
            connection.finish(reason, using: &context)
        }
    }

    /// Whether more of the client's bytes are read.
    var wantsInput: Bool {
        connection.end == nil && !isHalfClosed && backlog.count < HTTPLimits.backlogBytesMax
    }

    /// Ends a connection whose client sends much while it waits for effects, a state or a quota: it
    /// couldn't be read, and so its end not be seen, for as long as that takes.
    func boundWaiting(_ machine: borrowing ConnectionMachine) {
        guard backlog.count >= HTTPLimits.backlogBytesMax,
            connection.isWaitingLong || machine.waitsForQuota
        else { return }
        connection.abandon(.lineFlood)
    }

    /// Bytes that were read and are no lines yet.
    var waitingBytes: Int { backlog.count + connection.carriedBytes }
}
