import GroveEngine
import OrderedJSON

/// What became of reading the configuration again.
enum ReloadOutcome: Sendable {
    /// It was applied: the keys that have changed, and those that need a restart.
    case reloaded(changed: [String], needsRestart: [String])
    /// Nothing has changed, for a reason.
    case refused(String)

    /// The answer to the op `reload`.
    var reply: Reply {
        switch self {
        case .reloaded(let changed, let needsRestart):
            // Members are written after a comma only where others precede them.
            var writer = JSONWriter()
            writer.object { writer in
                writer.array("changed", changed)
                if !needsRestart.isEmpty { writer.array("needs_restart", needsRestart) }
            }
            return .written([UInt8(ascii: ",")] + writer.bytes.dropFirst().dropLast())
        case .refused(let why): return .failure(.badRequest(path: "$.op", message: why))
        }
    }
}
