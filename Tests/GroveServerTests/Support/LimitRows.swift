import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveTLS
import OrderedJSON
import Transducers

@testable import GroveServer

/// All rows of docs/reference/limits.md, in their order.
enum LimitRows {
    static let all =
        lines + connections + encryption + web + names + steps + batches + descriptions + starts
        + LimitRows.effects + others

    private static let limits = ServerLimits()

    private static let lines: [LimitRow] = [
        LimitRow(
            "bytes of a line, without its newline; the key allows up to "
                + LimitRow.bytes(Limits.stepBytesMax), LimitRow.bytes(limits.lineBytesMax),
            key: ("max-line", limits.lineBytesMax),
            by: "the longest line fits, one byte more doesn't, wherever it is cut",
            "a line too long is refused once, and the next one is accepted"),
        LimitRow(
            "bytes of a single line, with its skipped part",
            LimitRow.bytes(ServerLimits.lineBytesHard),
            by: "more than the hard limit in one line is a flood, ended or not",
            "a line of 16 MiB ends the connection"),
        LimitRow(
            "lines of a connection that are decoded in one turn; 1,024 empty ones "
                + "count as 17",
            LimitRow.count(ServerLimits.linesPerTurnMax),
            by: "the lines of one turn are bounded, empty ones counted"),
        LimitRow(
            "bytes of answers without the engine in one turn of a connection",
            LimitRow.bytes(ServerLimits.answerBytesPerTurnMax),
            by: "large answers of one turn are bounded, and none is lost"),
        LimitRow(
            "points of `stats` with `\"series\":\"1s\"`, and with `\"10s\"`",
            LimitRow.count(ServerLimits.pointsOfSeconds) + ", "
                + LimitRow.count(ServerLimits.pointsOfTenSeconds),
            by: "only the newest points are kept"),
        LimitRow(
            "points over which a late measurement of them is spread",
            LimitRow.count(ServerLimits.latePointsMax),
            by: "a late measurement is shared by its points, and none counts twice",
            "after a long pause nothing is known of it"),
        LimitRow(
            "nesting of a line", LimitRow.count(ServerLimits.depthMax),
            by: "nesting is at most 64; the request counts as 1"),
        LimitRow(
            "values in a line", LimitRow.count(ServerLimits.valuesMax),
            by: "a line has at most 100,000 values"),
        LimitRow(
            "time from the first byte of a line to its newline",
            LimitRow.seconds(limits.lineMilliseconds),
            key: ("line-timeout-ms", Int(limits.lineMilliseconds)),
            by: "a line must end 10 s after its first byte, however many follow",
            "a client that sends byte by byte is closed when its line takes too long"),
        LimitRow(
            "unanswered requests of a connection", LimitRow.count(limits.inflightMax),
            key: ("max-inflight", limits.inflightMax),
            by: "past max_inflight no line is accepted until replies leave"),
        LimitRow(
            "unanswered requests of all connections", LimitRow.count(limits.outstandingMax),
            key: ("max-outstanding", limits.outstandingMax),
            by: "past max_outstanding of all connections requests are refused"),
        LimitRow(
            "bytes of the lines of those requests",
            LimitRow.bytes(ServerLimits.outstandingBytesMax),
            by: "past the bytes of all lines requests are refused"),
        LimitRow(
            "requests, and their bytes, that wait: `await`, and `send` with `settle`",
            "half of the two bounds above",
            by: "waiting requests use at most half of all places"),
        LimitRow(
            "waiting requests of one connection",
            ServerLimits.waitingShares == 8
                ? "an eighth of the free part of that half, at least "
                    + "\(ServerLimits.waitingRequestsMin) requests and "
                    + LimitRow.bytes(ServerLimits.waitingBytesMin) : "",
            by: "one connection has an eighth of the free places",
            "waiting lines have a share of the bytes"),
        LimitRow(
            "unsent bytes of states, outputs and pages in the replies of a connection",
            "half of `max-pending`",
            by: "a connection has no turn while its client hasn't accepted a window of replies",
            "a client that asks for more than it reads waits alone"),
        LimitRow(
            "pages read at the same time; those of one connection",
            "\(Limits.pagesMax); \(Limits.pagesPerConnectionMax)",
            by: "the pages of one connection are bounded", "few pages are read at a time",
            "connections that wait for pages have no turn, and resume in order"),
        LimitRow(
            "descriptions of machines as data made at the same time; those of one connection",
            "\(Limits.descriptionsMax); \(Limits.descriptionsPerConnectionMax)",
            by: "descriptions that are made at the same time are bounded",
            "every description is made, and other requests don't wait for them"),
        LimitRow(
            "bytes of large replies between the engine and the sockets",
            LimitRow.bytes(ServerLimits.undeliveredBytesMax),
            by: "the small reply beside large ones doesn't wait for all of them"),
        LimitRow(
            "bytes read from a connection in one turn; while buffers are short",
            "\(LimitRow.bytes(ServerLimits.readBytesMax)); "
                + LimitRow.bytes(ServerLimits.shortReadBytesMax),
            by: "a connection with endless bytes is read in turns"),
        LimitRow(
            "bytes written to buffers before they are counted",
            LimitRow.bytes(ServerLimits.uncountedBytesMax),
            by: "unread large replies stay within max-buffers"),
    ]

    private static let connections: [LimitRow] = [
        LimitRow(
            "unsent bytes of a connection", LimitRow.bytes(limits.pendingBytesMax),
            key: ("max-pending", limits.pendingBytesMax),
            by: "refusals count as replies do: a client that doesn't read is not read",
            "a full connection pauses its subscriptions and delays nobody else's"),
        LimitRow(
            "unsent bytes of a connection when the reply to a waiting request is due",
            "the same",
            by: "replies that come together and don't fit are TIMEOUT"),
        LimitRow(
            "time for which a connection may stay full",
            LimitRow.seconds(limits.slowConsumerMilliseconds),
            key: ("slow-consumer-ms", Int(limits.slowConsumerMilliseconds)),
            by: "a connection that stays full for 30 s is a slow consumer",
            "a client that stays full is kept for its time, and no longer"),
        LimitRow(
            "time for which a client may read nothing",
            LimitRow.seconds(limits.stuckMilliseconds),
            by: "a closing connection ends when its client accepts nothing",
            "a client that accepts nothing is kept for three heartbeats"),
        LimitRow(
            "the same, for a client that holds more than "
                + LimitRow.bytes(ServerLimits.shareBytesMin) + ", and accepts less,"
                + " while [buffers are short](#when-buffers-are-short)",
            LimitRow.seconds(ServerLimits.holdingMilliseconds),
            by: "while memory is short, a client that accepts nothing is closed after 8 s",
            "a client that reads steadily but slowly stays while memory is short"),
        LimitRow(
            "time without a sent line before a heartbeat",
            LimitRow.seconds(limits.heartbeatMilliseconds),
            key: ("heartbeat-ms", Int(limits.heartbeatMilliseconds)),
            by: "after 30 s without sending a heartbeat is sent",
            "two misses end the connection, any line is an answer"),
        LimitRow(
            "connections", LimitRow.count(limits.connectionsMax),
            key: ("max-connections", limits.connectionsMax),
            by: "past the limit of connections a client gets one error line"),
        LimitRow(
            "connections from one address; `127.0.0.0/8` counts as one address, Unix "
                + "sockets don't count",
            LimitRow.count(limits.connectionsPerPeerMax),
            key: ("max-connections-per-address", limits.connectionsPerPeerMax),
            by: "past the limit of its address a client gets one error line",
            "all loopback addresses of IPv4 are one"),
        LimitRow(
            "bytes of all connections that are unsent, or belong to unfinished lines",
            LimitRow.bytes(limits.bufferBytesMax), key: ("max-buffers", limits.bufferBytesMax),
            by: "from half of the bound each connection has its share",
            "clients that don't read share a bound; others aren't affected",
            "a half line of more than a share is closed nevertheless"),
    ]

    private static let encryption: [LimitRow] = [
        LimitRow(
            "TLS handshakes under way", LimitRow.count(limits.handshakesMax),
            by: "the oldest of an address goes first, then the oldest of all",
            "of half-open handshakes the oldest go, and others are served"),
        LimitRow(
            "TLS handshakes under way from one address",
            LimitRow.count(limits.handshakesPerPeerMax),
            by: "the oldest of an address goes first, then the oldest of all",
            "of half-open handshakes the oldest go, and others are served"),
        LimitRow(
            "time from accepting a connection to the end of its TLS handshake",
            LimitRow.seconds(limits.handshakeMilliseconds),
            by: "a handshake that isn't complete in time is closed"),
        LimitRow(
            "bytes of a line of a client that hasn't said who it is, where it must",
            LimitRow.count(ServerLimits.unknownLineBytesMax), by: "until then its lines are short"),
        LimitRow(
            "lines of such a client", LimitRow.count(ServerLimits.unknownLinesMax),
            by: "it has a few lines to say who it is"),
        LimitRow(
            "time in which it must say that",
            LimitRow.seconds(ServerLimits.authenticationMilliseconds),
            by: "it has five seconds to say who it is"),
        LimitRow(
            "connections of such clients", LimitRow.count(limits.handshakesMax),
            by: "of clients that nobody knows the oldest goes, and the known ones stay"),
        LimitRow(
            "connections of such clients from one address",
            LimitRow.count(limits.handshakesPerPeerMax),
            by: "of clients that nobody knows the oldest goes, and the known ones stay"),
        LimitRow(
            "refused requests and wrong tokens of such a client",
            LimitRow.count(ServerLimits.refusalsMax),
            by: "the third refusal closes the connection"),
        LimitRow(
            "TLS handshakes that begin per second",
            LimitRow.count(limits.handshakesPerSecond),
            key: ("tls-handshakes-per-s", limits.handshakesPerSecond),
            by: "no second has more than the bound and one burst",
            "clients that come faster than the bound wait, and nobody is refused"),
        LimitRow(
            "TLS handshakes that wait for their turn",
            LimitRow.count(SocketLoop.pacedHandshakesMax),
            by: "more clients than may wait for their turn get one, too"),
        LimitRow(
            "bytes of a client before the end of its TLS handshake",
            LimitRow.bytes(TLSConnection.handshakeBytesMax),
            by: "a handshake has at most 64 KiB"),
        LimitRow(
            "changes of keys by the client of a TLS connection, in the bytes of one read",
            LimitRow.count(TLSConnection.keyChangesMax),
            by: "a peer that does nothing else fails"),
        LimitRow(
            "encrypted bytes of a connection that wait to be sent",
            LimitRow.bytes(TLSConnection.waitingBytesMax),
            by: "nothing is taken while 64 KiB wait",
            "much data passes both ways in bounded memory"),
        LimitRow(
            "bytes of a TCP connection that the kernel takes and can't send yet",
            LimitRow.bytes(Int(Socket.kernelUnsentBytesMax)),
            by: "the kernel holds little for a client that doesn't read"),
        LimitRow(
            "bytes of a Unix socket's path", LimitRow.count(SocketAddress.unixPathBytesMax),
            by: "a path has at most 107 bytes, and the error has both numbers",
            "a Unix socket in use, in no directory, or with too long a path"),
    ]

    private static let patternTest =
        "a pattern is as long as a name at most; stars in a row are one"

    private static let names: [LimitRow] = [
        LimitRow(
            "bytes of a machine's name", LimitRow.count(Limits.machineNameBytesMax),
            by: "names have bounds"),
        LimitRow(
            "bytes of an instance's name", LimitRow.count(Limits.instanceNameBytesMax),
            by: "names have bounds"),
        LimitRow(
            "bytes of the family in a [child's name](../concepts/effects.md#children)",
            LimitRow.count(Limits.familyBytesMax), by: "shortened names don't collide"),
        LimitRow(
            "bytes of a dedup key", LimitRow.count(Limits.dedupKeyBytesMax),
            by: "a key has at most 200 bytes, without escapes"),
        LimitRow(
            "bytes of a subscription's name", LimitRow.count(Limits.subscriptionNameBytesMax),
            by: "the name of a subscription has at most 200 bytes"),
        LimitRow(
            "bytes of a selection's pattern for machines; several stars in a row count once",
            LimitRow.count(Limits.machineNameBytesMax), by: patternTest),
        LimitRow(
            "bytes of a pattern for instances", LimitRow.count(Limits.instanceNameBytesMax),
            by: patternTest),
        LimitRow(
            "bytes of a pattern for outputs", LimitRow.count(Limits.outputTypePatternBytesMax),
            by: patternTest),
        LimitRow(
            "bytes of a state's name in `await`", LimitRow.count(Limits.stateNameBytesMax),
            by: "the state's name of an await has at most two hundred bytes"),
        LimitRow(
            "bytes of the reason of a `stop` or `suspend`",
            LimitRow.bytes(Limits.stopReasonBytesMax),
            by: "the reason of a stop has at most a kibibyte"),
    ]

    private static let steps: [LimitRow] = [
        LimitRow(
            "immediate events that one event may cause",
            LimitRow.count(Limits.immediateEventsMax),
            by: "an event may cause as many immediate events as a step allows"),
        LimitRow(
            "outputs of a step", LimitRow.count(Limits.outputsPerStepMax),
            by: "more outputs than a step may have are refused"),
        LimitRow(
            "bytes of all outputs of a step", LimitRow.bytes(Limits.outputBytesPerStepMax),
            by: "the outputs of a step have at most a mebibyte, to the byte"),
        LimitRow(
            "bytes of the events, arguments and names of instances in a step's effects",
            LimitRow.bytes(EngineOptions().step.outputBytes),
            by: "the effects of a step carry at most a mebibyte, to the byte"),
        LimitRow(
            "bytes of a state", LimitRow.bytes(Limits.stateBytesMax),
            by: "a state that is too large is refused"),
        LimitRow(
            "nesting of a state, and of an output, as JSON",
            LimitRow.count(JSONLimits.standard.depthMax),
            by: "a state of the maximum depth is read back, and a deeper one refused"),
        LimitRow(
            "bytes of an event, its outputs and the state after it together",
            LimitRow.bytes(Limits.stepBytesMax),
            by: "a step that is too large to store is refused, and the next accepted"),
        LimitRow(
            "bytes of a step, a snapshot or an effect as they are stored",
            LimitRow.bytes(Limits.storedRowBytesMax),
            by: "a commit with a too large row is refused, and the store continues",
            "a commit that is too large is refused, and the engine continues"),
    ]
}
