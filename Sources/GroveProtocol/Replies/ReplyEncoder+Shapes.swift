import GroveEngine
import GroveWire
import OrderedJSON

/// The differences between the two shapes of a line.
extension ReplyEncoder {
    /// Begins the fields of a reply after its id.
    ///
    /// - Returns: Their offset, for ``endFields(_:from:_:)``.
    func beginFields(_ shape: LineShape, _ writer: inout JSONWriter) -> Int {
        switch shape {
        case .plain: writer.literal(#","ok":true"#)
        case .jsonRPC: writer.literal(#","jsonrpc":"2.0","result":"#)
        }
        return writer.bytes.count
    }

    /// Ends the fields of a reply, each of which was written with a comma before it.
    func endFields(_ shape: LineShape, from begin: Int, _ writer: inout JSONWriter) {
        guard shape == .jsonRPC else { return }
        if writer.bytes.count == begin {
            writer.bytes.append(UInt8(ascii: "{"))
        } else {
            writer.bytes[begin] = UInt8(ascii: "{")
        }
        writer.bytes.append(UInt8(ascii: "}"))
    }

    mutating func append(_ error: WireError, as shape: LineShape, _ writer: inout JSONWriter) {
        traffic.count(error.code)
        switch shape {
        case .plain: error.append(to: &writer)
        case .jsonRPC:
            writer.literal(#","jsonrpc":"2.0""#)
            error.appendJSONRPC(to: &writer)
        }
    }

    /// The refusal of somebody who hasn't said who they are, or not rightly.
    func unauthenticated(_ message: String) -> WireError {
        WireError(.unauthenticated, message) { $0.array("auth", waysToAuthenticate) }
    }

    /// The error for a failure of the engine in a line of this shape.
    func error(_ failure: Failure, as shape: LineShape) -> WireError {
        var error = WireError(failure, cursors: cursors)
        if case .unauthenticated = failure { error = unauthenticated(error.message) }
        guard shape == .jsonRPC else { return error }
        return switch failure {
        // The op itself, as `reload` refuses it.
        case .badRequest("$.op", let message): .noRequest("$.method", message)
        // The engine names a field; in this shape the fields are params.
        case .badRequest, .versionPastEnd, .versionNotHeld: error.inside(".params")
        default: error
        }
    }

    /// Appends a line that answers nothing: in the shape of JSON-RPC a notification.
    static func append(
        _ name: StaticString, _ member: StaticString, _ number: Int64, as shape: LineShape,
        into writer: inout JSONWriter
    ) {
        let isPlain = shape == .plain
        writer.literal(isPlain ? #"{"op":""# : #"{"jsonrpc":"2.0","method":""#)
        writer.literal(name)
        writer.literal(isPlain ? #"",""# : #"","params":{""#)
        writer.literal(member)
        writer.literal(#"":"#)
        writer.integer(number)
        writer.literal(isPlain ? "}\n" : "}}\n")
    }
}
