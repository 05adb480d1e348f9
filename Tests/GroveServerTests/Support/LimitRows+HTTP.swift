import Diagrams
import GroveProtocol
import OrderedJSON

@testable import GroveHTTP
@testable import GroveServer

/// The rows about HTTP.
extension LimitRows {
    static let web: [LimitRow] = [
        LimitRow(
            "bytes of a request line", LimitRow.bytes(HTTPLimits.requestLineBytesMax),
            by: "requests are accepted or refused"),
        LimitRow(
            "bytes of a head, with its request line", LimitRow.bytes(HTTPLimits.headBytesMax),
            by: "requests are accepted or refused"),
        LimitRow(
            "fields of a head", LimitRow.count(HTTPLimits.fieldsMax),
            by: "requests are accepted or refused"),
        LimitRow(
            "bytes of a body, and of a message over WebSocket",
            LimitRow.bytes(ServerLimits().lineBytesMax),
            key: ("max-line", ServerLimits().lineBytesMax), by: "the server answers as written"),
        LimitRow(
            "bytes of extensions of chunks in a request; of fields after its body",
            LimitRow.bytes(HTTPLimits.extensionBytesMax) + "; "
                + LimitRow.bytes(HTTPLimits.trailerBytesMax),
            by: "requests are accepted or refused"),
        LimitRow(
            "time from the first byte of a request to its last, and of a new connection's silence",
            LimitRow.seconds(ServerLimits().lineMilliseconds),
            key: ("line-timeout-ms", Int(ServerLimits().lineMilliseconds)),
            by: "the server answers as written"),
        LimitRow(
            "time between an answer and the next request",
            LimitRow.seconds(WebOptions().idleMilliseconds),
            key: ("web-idle-ms", Int(WebOptions().idleMilliseconds)),
            by: "the server answers as written"),
        LimitRow(
            "bytes of further requests while one has no answer",
            LimitRow.bytes(HTTPLimits.backlogBytesMax),
            by: "a client may send many requests at once, and gets all answers",
            "a client that is gone waits no more, and leaves its place"),
        LimitRow(
            "parameters of a query", LimitRow.count(HTTPLimits.parametersMax),
            by: "the server answers as written"),
        LimitRow(
            "requests of a connection in one turn, fewer with large heads or answers",
            LimitRow.count(HTTPLimits.requestsPerTurnMax),
            by: "a turn has a bound of requests, and of the bytes of their heads"),
        LimitRow(
            "bytes of answers and records that wait to be sent",
            LimitRow.bytes(HTTPLimits.outboundBytesMax),
            by: "a client that doesn't read what it asks for isn't read"),
        LimitRow(
            "time without a record before a comment in a stream",
            LimitRow.seconds(HTTPLimits.streamHeartbeatMilliseconds),
            by: "the server answers as written"),
        LimitRow(
            "clients whose drawings wait, besides those of the one that is being made",
            LimitRow.count(DrawingDesk.waitingMax),
            by: "at most 64 clients wait besides those of the present drawing",
            "the 65th drawing that would wait is refused"),
        LimitRow(
            "bytes of a drawing over HTTP", LimitRow.bytes(DrawingDesk.drawingBytesMax),
            by: "a drawing of more than 4 MiB is refused"),
        LimitRow(
            "drawings that are kept; their bytes",
            LimitRow.count(DrawingDesk.keptMax) + "; " + LimitRow.bytes(DrawingDesk.keptBytesMax),
            by: "64 drawings are kept, those that were wanted last"),
        LimitRow(
            "states of a drawing; arrows; states around a state",
            LimitRow.count(DiagramLimits.nodesMax) + "; " + LimitRow.count(DiagramLimits.edgesMax)
                + "; " + LimitRow.count(DiagramLimits.levelsMax),
            by: "too many nodes and edges are refused, and as many as allowed aren't",
            "nodes can be 64 levels deep"),
        LimitRow(
            "layers of states that the arrows of a drawing pass, in total",
            LimitRow.count(DiagramLimits.passagesMax),
            by: "edges past too many nodes are refused before they are laid out"),
    ]
}
