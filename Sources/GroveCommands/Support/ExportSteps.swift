import GroveClient
import GroveEngine
import GroveProtocol
import GroveStorage
import OrderedJSON

/// Some steps of an instance as lines of an export: those of `history`, with the instance's name
/// as the member `history`, which tells them from lines of instances.
struct ExportSteps {
    /// A JSON object each.
    private(set) var lines: [[UInt8]] = []
    /// The version behind which there are more; `nil` when that was all.
    let next: Int64?
    /// Whether there are versions before the first step that none tells of.
    let lacksBegin: Bool

    /// The steps of a server's answer to `history`, up to the version of the instance's line.
    ///
    /// - Parameter isFirst: Whether it was asked for all steps from the beginning.
    init(
        of line: ExportLine, _ document: JSONDocument, isFirst: Bool
    ) throws(ClientError) {
        guard let items = document.member("items", of: document.root),
            document.kind(items) == .array
        else { throw .protocolViolation("a history without \"items\"") }
        func integer(_ name: StaticString, _ node: JSONDocument.Node) -> Int64? {
            document.member(name, of: node).flatMap(document.integer)
        }
        let begin = Array("{\"history\":".utf8) + JSONValue.string(line.name).serialized() + [0x2C]
        for item in document.elements(of: items) {
            guard let version = integer("v", item) else {
                throw .protocolViolation("a history item without \"v\"")
            }
            if version <= line.version { lines.append(begin + document.text(item).dropFirst()) }
        }
        next = integer("next", document.root).flatMap { $0 < line.version ? $0 : nil }
        lacksBegin = isFirst && line.version > 0 && integer("first", document.root) != nil
    }

    /// The steps that a data file has, as a server would write them.
    init(
        of line: ExportLine, _ history: GroveEngine.Reply, in store: SQLiteStore, isFirst: Bool
    ) throws {
        var encoder = ReplyEncoder(cursors: CursorText(log: store.logID))
        var writer = JSONWriter()
        encoder.append(history, to: .null, into: &writer)
        let limits = JSONLimits(
            depthMax: 128, bytesMax: writer.bytes.count, valuesMax: 16_000_000)
        let document = try JSONDocument(parsing: writer.bytes, limits: limits)
        try self.init(of: line, document, isFirst: isFirst)
    }
}
