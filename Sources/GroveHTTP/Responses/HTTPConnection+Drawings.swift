import GroveWire
import OrderedJSON

/// Drawings of machines. A machine is described by the line protocol, then drawn by the owner, who
/// has the time for it elsewhere: here is only what stands around that.
extension HTTPConnection {
    /// Whether a drawing will be the next answer.
    package var isDrawing: Bool {
        switch phase {
        case .ordering, .drawing: true
        default: false
        }
    }

    /// Orders the drawing of a machine that was described, unless the client has it.
    ///
    /// - Parameter body: The members of the reply to `describe`.
    mutating func order(
        from body: [UInt8], _ exchange: Exchange, using context: inout HTTPContext
    ) {
        do throws(JSONError) {
            try context.document.parse(body, limits: .stored)
        } catch {
            preconditionFailure("the line protocol writes JSON: \(error)")
        }
        let root = context.document.root
        let graph = context.document.member("graph", of: root)
        let nodes = graph.flatMap { context.document.member("nodes", of: $0) }
        guard let graph, let nodes,
            context.document.elements(of: nodes).contains(where: { _ in true })
        else {
            return refuse(
                Refusal(404, "nothing is known of the machine's states yet"), exchange,
                using: &context)
        }
        let order = DrawingOrder(
            machine: Array(exchange.variables["machine"] ?? []),
            graph: context.document.text(graph))
        let tag = Self.tag(of: order)
        if let cached = exchange.cached, Self.names(tag, in: cached) {
            return respond(
                304, .drawing, [], to: exchange, cache: "no-cache", using: &context
            ) { $0.drawingFields(tag) }
        }
        phase = .ordering(exchange, order)
    }

    /// Answers the request whose drawing was ordered; nothing happens if there is none any more.
    package mutating func finish(
        _ outcome: DrawingOutcome, using context: inout HTTPContext
    ) {
        guard case .drawing(let exchange, let order) = phase else { return }
        switch outcome {
        case .drawn(let drawing):
            respond(200, .drawing, drawing, to: exchange, cache: "no-cache", using: &context) {
                $0.drawingFields(Self.tag(of: order))
            }
        case .refused(let why): refuse(Refusal(422, why), exchange, using: &context)
        case .overloaded:
            refuse(
                Refusal(.overloaded, "many drawings wait to be made"), exchange, using: &context)
        }
    }

    /// The tag of a drawing, which another release may draw in another way.
    private static func tag(of order: DrawingOrder) -> [UInt8] {
        let hash = order.graph.withUnsafeBytes { ByteHash.of($0) }
        return Array("\"\(ProtocolVersion.server).\(String(hash, radix: 16))\"".utf8)
    }
}

extension JSONWriter {
    /// Appends the fields of a drawing. Shown by itself, it may do nothing but be seen, in the
    /// colors of its own style sheet.
    fileprivate mutating func drawingFields(_ tag: [UInt8]) {
        literal("Content-Security-Policy: sandbox; default-src 'none'; ")
        literal("style-src 'unsafe-inline'\r\nETag: ")
        raw(tag)
        literal("\r\n")
    }
}
