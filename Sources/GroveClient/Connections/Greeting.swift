import GroveWire
import OrderedJSON

/// What the server says first on a connection (protocol.md, "Connecting").
public struct Greeting: Sendable {
    /// The server's version, such as `0.1.0`.
    public let version: String?
    /// The longest line the server takes, in bytes without the newline.
    public let lineBytesMax: Int?
    /// After how long without sending the server sends a heartbeat.
    public let heartbeat: Duration?
    /// The whole greeting as the server wrote it.
    public let text: [UInt8]

    /// Reads a server's first line.
    ///
    /// - Throws: ``ClientError/server(_:)`` for an error line, such as `OVERLOADED`;
    ///   ``ClientError/protocolViolation(_:)`` when this is no server for protocol 1.
    init(_ document: JSONDocument) throws(ClientError) {
        let root = document.root
        if let error = document.member("error", of: root) {
            throw .server(ServerError(document, at: error))
        }
        guard document.member("op", of: root).flatMap(document.string) == "hello",
            let versions = document.member("proto", of: root)
        else { throw .protocolViolation("the server did not greet as a Grove server does") }
        guard
            document.elements(of: versions).contains(where: {
                document.integer($0) == ProtocolVersion.current
            })
        else { throw .protocolViolation("the server does not speak version 1 of the protocol") }
        version = document.member("version", of: root).flatMap(document.string)
        lineBytesMax = document.member("max_line", of: root).flatMap(document.integer)
            .map { Int($0) }
        heartbeat = document.member("heartbeat_ms", of: root).flatMap(document.integer)
            .flatMap { $0 > 0 ? .milliseconds($0) : nil }
        text = document.text(root)
    }
}
