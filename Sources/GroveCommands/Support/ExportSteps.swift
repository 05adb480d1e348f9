import GroveClient
import GroveEngine
import GroveProtocol
import GroveStorage
import OrderedJSON

/// Steps of an instance as lines of an export: those of the op `history`, each with the instance's
/// name as the member `history`, which lines of instances don't have.
struct ExportSteps {
    /// One JSON object per step.
    private(set) var lines: [[UInt8]] = []
    /// The version after which more steps follow; `nil` for none.
    let next: Int64?
    /// Whether the steps of the first versions are missing.
    let lacksBegin: Bool

    /// Reads a server's reply to `history`, up to the version of the instance's line.
    ///
    /// - Parameter isFirst: Whether the request was for the steps from the beginning.
    init(of line: ExportLine, _ document: JSONDocument, isFirst: Bool) throws(ClientError) {
        let fields = Fields(document)
        guard let items = fields.node("items"), document.kind(items) == .array else {
            throw .protocolViolation("a history without \"items\"")
        }
        let begin = Array("{\"history\":".utf8) + JSONValue.string(line.name).serialized() + [0x2C]
        for item in document.elements(of: items) {
            guard let version = Fields(document, item).integer("v") else {
                throw .protocolViolation("a history item without \"v\"")
            }
            if version <= line.version { lines.append(begin + document.text(item).dropFirst()) }
        }
        next = fields.integer("next").flatMap { $0 < line.version ? $0 : nil }
        lacksBegin = isFirst && line.version > 0 && fields.integer("first") != nil
    }

    /// Reads the steps of a data file, in the form of a server's reply.
    init(
        of line: ExportLine, _ history: GroveEngine.Reply, in store: SQLiteStore, isFirst: Bool
    ) throws {
        var encoder = ReplyEncoder(cursors: CursorText(log: store.logID))
        var writer = JSONWriter()
        encoder.append(history, to: .null, into: &writer)
        let limits = JSONLimits(depthMax: 128, bytesMax: writer.bytes.count, valuesMax: 16_000_000)
        let document = try JSONDocument(parsing: writer.bytes, limits: limits)
        try self.init(of: line, document, isFirst: isFirst)
    }
}
