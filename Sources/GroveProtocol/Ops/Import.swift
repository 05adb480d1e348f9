import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func importing(_ fields: Fields) throws(WireError) -> Import {
        let to = try to(fields)
        let version = try required(count("v"), "v")
        guard version <= Limits.importedVersionMax else {
            throw .badRequest("$.v", "v is at most \(Limits.importedVersionMax)")
        }
        let state = try required(member("state"), "state")
        return Import(
            to: to, version: version, state: Array(document.text(state)),
            definitionVersion: try storedVersion(), isDone: try flag("done") ?? false,
            result: member("result").map { Array(document.text($0)) },
            dedup: try dedup(fields), isTrial: try flag("trial") ?? false)
    }

    /// The version in `definition`, which has the form of a reply to `get` and of an export. Other
    /// members are ignored.
    private func storedVersion() throws(WireError) -> String? {
        guard let definition = member("definition") else { return nil }
        guard document.kind(definition) == .object else {
            throw .badRequest("$.definition", "definition is an object with the member version")
        }
        guard let node = document.member("version", of: definition) else { return nil }
        guard let version = document.string(node) else {
            throw .badRequest("$.definition.version", "version is a string")
        }
        return version
    }
}
