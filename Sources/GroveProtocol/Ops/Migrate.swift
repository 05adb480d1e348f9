import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func migrate(_ fields: Fields) throws(WireError) -> Migrate {
        let to = try to(fields)
        var plan: JSONObject?
        for name in ["states", "context"] as [StaticString] {
            guard let node = member(name) else { continue }
            guard document.kind(node) == .object else {
                throw .badRequest("$.\(name)", "\(name) is an object")
            }
            plan = plan ?? JSONObject()
            plan?["\(name)"] = document.value(node)
        }
        return Migrate(
            to: to, version: try text("version"), plan: plan.map { .object($0) },
            isTrial: try flag("trial") ?? false)
    }
}

extension ReplyEncoder {
    func append(_ migrated: Reply.Migrated, _ writer: inout JSONWriter) {
        writer.member("v", migrated.version)
        cursor(migrated.cursor, &writer)
        writer.member("changed", migrated.changed)
        writer.member("state", orNull: migrated.state)
        writer.name("definition")
        writer.object { $0.members(of: migrated.definition) }
        if !migrated.starts.isEmpty { writer.array("starts", migrated.starts) }
        if !migrated.stops.isEmpty { writer.array("stops", migrated.stops) }
        if !migrated.unknown.isEmpty { writer.array("unknown", migrated.unknown) }
        if !migrated.renames.isEmpty {
            writer.array("renames", migrated.renames) { writer, rename in
                writer.object {
                    $0.member("from", rename.from)
                    $0.member("to", rename.to)
                }
            }
        }
    }
}
