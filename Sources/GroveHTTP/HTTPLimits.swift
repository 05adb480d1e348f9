/// The bounds of HTTP that aren't configurable, each with its reason (limits.md, "HTTP").
package enum HTTPLimits {
    /// Bytes of a token in `Authorization`: a token of Grove has fewer than 100.
    package static let tokenBytesMax = 256
    /// Bytes of an `Idempotency-Key`, as of every dedup key.
    package static let keyBytesMax = 200
    /// Bytes that a client may send before it has the answer to its request; past them its socket
    /// isn't read.
    package static let backlogBytesMax = 16 << 10
    /// Bytes that wait for the socket, past which no more lines become answers: as for TLS.
    package static let outboundBytesMax = 64 << 10
    /// Requests of one connection in one turn of the queue: well below a millisecond.
    package static let requestsPerTurnMax = 64
    /// Parameters of a query: no route has as many.
    static let parametersMax = 16
    /// JSON values of a line besides those of the body in it.
    static let valuesBesideBody = 16
    /// What a request takes of the work of a turn, besides its head. A message, a frame of control
    /// and a chunk take one, and so do 256 bytes of an answer.
    static let workPerRequest = 16
    /// Bytes of a head that take as much work as a chunk.
    static let headBytesPerWork = 64
    /// The work of one connection in one turn.
    package static let workPerTurnMax = requestsPerTurnMax * workPerRequest
    /// Bytes of messages between two looks at that, and the work that they are.
    static let messageSliceBytes = 8 << 10
    static let workPerMessageSlice = 128
    /// Bytes of one piece of a backup, which may wait for the socket in addition to
    /// ``outboundBytesMax``.
    static let backupPieceBytes = 48 << 10
    /// Time between two comments of a stream without records, in milliseconds. Proxies often close
    /// a connection after a minute of silence.
    package static let streamHeartbeatMilliseconds: Int64 = 15_000
    /// Time for which a page of another origin may remember what it may do, in seconds.
    static let preflightSeconds = 600

    /// Bytes of a request line: browsers write no longer ones.
    package static let requestLineBytesMax = 8 << 10
    /// Bytes of a head with the ends of its lines.
    package static let headBytesMax = 16 << 10
    /// Fields of a head: browsers send some twenty.
    package static let fieldsMax = 64
    /// Bytes of all extensions of chunks in a request; nobody uses them.
    static let extensionBytesMax = 1 << 10
    /// Bytes of the fields after a body in chunks; they mean nothing here.
    static let trailerBytesMax = 4 << 10
    /// Hexadecimal digits of the size of a chunk.
    static let chunkDigitsMax = 8
    /// Digits of a `Content-Length`.
    static let lengthDigitsMax = 16
}
