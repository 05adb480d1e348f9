import GroveWire
import OrderedJSON

/// The first line of a server on a connection (protocol.md, "Connecting").
public struct Greeting: Sendable {
    /// The server's version, such as `0.1.0`.
    public let version: String?
    /// The longest line the server accepts, in bytes without the newline.
    public let lineBytesMax: Int?
    /// The time without other lines after which the server sends a heartbeat.
    public let heartbeat: Duration?
    /// The whole greeting as the server wrote it.
    public let text: [UInt8]

    /// Reads a server's first line.
    ///
    /// - Throws: ``ClientError/server(_:)`` for an error line, such as `OVERLOADED`;
    ///   ``ClientError/protocolViolation(_:)`` when this is no server for protocol 1.
    init(_ document: JSONDocument) throws(ClientError) {
        let fields = Fields(document)
        if let error = fields.node("error") {
            throw .server(ServerError(document, at: error))
        }
        guard fields.string("op") == "hello", let versions = fields.node("proto") else {
            throw .protocolViolation("the server did not greet as a Grove server does")
        }
        let numbers = document.elements(of: versions).map(document.integer)
        guard numbers.contains(ProtocolVersion.current) else {
            throw .protocolViolation("the server does not support version 1 of the protocol")
        }
        version = fields.string("version")
        lineBytesMax = fields.integer("max_line").map { Int($0) }
        heartbeat = fields.integer("heartbeat_ms").flatMap { $0 > 0 ? .milliseconds($0) : nil }
        text = document.text(document.root)
    }
}
