import GroveWire
import OrderedJSON

extension Request {
    /// An `import`: creates an instance in a given state, at a given version.
    ///
    /// - Parameters:
    ///   - version: The version it begins with.
    ///   - state: Its state, JSON without newlines.
    ///   - definitionVersion: The version of the machine that has stored the state, as an export
    ///     contains it: a server with a later one migrates the state. `nil` for a whole state, as
    ///     the server's machine writes it.
    ///   - isDone: Whether it is done.
    ///   - result: Its result, JSON without newlines; only of an instance that is done.
    ///   - dedup: A key that makes a repeat harmless, also if events came after the first import.
    ///   - isTrial: Whether the server checks everything and changes nothing.
    public static func importing(
        _ name: String, version: Int64, state: some Collection<UInt8>,
        definitionVersion: String? = nil, isDone: Bool = false, result: [UInt8]? = nil,
        dedup: String? = nil, isTrial: Bool = false
    ) -> Request {
        var request = Request.about(name, .import).with("v", version)
        request.set("state", text: state)
        if let definitionVersion {
            request.set("definition", .object(["version": .string(definitionVersion)]))
        }
        if isDone { request.set("done", .bool(true)) }
        if let result { request.set("result", text: result) }
        return request.with("dedup", dedup).with("trial", isTrial ? true : nil)
    }
}
