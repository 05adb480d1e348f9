import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func define() throws(WireError) -> Define {
        let node = try required(member("definition"), "definition")
        guard document.kind(node) == .object else {
            throw .badRequest("$.definition", "definition is an object")
        }
        return Define(
            text: document.value(node).serialized(),
            machine: document.member("id", of: node).flatMap { document.string($0) },
            isTrial: try flag("trial") ?? false)
    }
}

extension ReplyEncoder {
    func append(_ defined: Reply.Defined, _ writer: inout JSONWriter) {
        writer.members(of: defined.definition)
        writer.member("changed", defined.changed)
        writer.member("present", defined.present)
        if !defined.warnings.isEmpty {
            writer.array("warnings", defined.warnings) { $0.problem($1) }
        }
    }
}

extension JSONWriter {
    /// A problem of a definition: `{"path":"$.states.a","message":"…","severity":"error"}`.
    mutating func problem(_ problem: DefinitionProblem) {
        object { writer in
            writer.member("path", problem.path)
            writer.member("message", problem.message)
            writer.member("severity", problem.isError ? "error" : "warning")
        }
    }
}
