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

    func append(_ pruned: Reply.Pruned, _ writer: inout JSONWriter) {
        writer.array("removed", pruned.removed) { $0.string($1) }
        writer.array("kept", pruned.kept) { writer, kept in
            writer.object {
                $0.member("version", kept.version)
                $0.member("instances", Int64(kept.instances))
            }
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
