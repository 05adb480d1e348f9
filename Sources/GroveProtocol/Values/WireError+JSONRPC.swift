import GroveWire
import OrderedJSON

extension WireError {
    /// The same error about a value that stands deeper in the line: `prefix`, such as
    /// `.items[3]`, comes behind the `$` of the path that `data.at` has. One without a path stays.
    func inside(_ prefix: String) -> WireError {
        var error = self
        let place = Self.pathStart.count
        if !prefix.isEmpty, data.starts(with: Self.pathStart) {
            error.data.insert(contentsOf: prefix.utf8, at: place)
        }
        return error
    }

    /// What `data` begins with when it has a path; `at` is always its first member.
    private static let pathStart = Array(#"{"at":"$"#.utf8)

    /// The path that `data.at` has, or `nil`.
    var path: String? {
        // What stands in `data` was written here, as JSON.
        guard data.starts(with: Self.pathStart) else { return nil }
        return (try? JSONValue(parsing: data))?["at"]?.string
    }

    /// The same error with one more member of `data`.
    func with(_ name: StaticString, _ number: Int64) -> WireError {
        var error = self
        var writer = JSONWriter()
        writer.bytes = data.isEmpty ? [UInt8(ascii: "{")] : data.dropLast()
        writer.member(name, number)
        writer.bytes.append(UInt8(ascii: "}"))
        error.data = writer.bytes
        return error
    }

    /// Appends `"error":{…}` as JSON-RPC has it: a number, and what else this protocol says in
    /// its `data`.
    func appendJSONRPC(to writer: inout JSONWriter) {
        writer.object("error") { writer in
            writer.member("code", isNoRequest ? ErrorCode.invalidRequestNumber : code.number)
            writer.member("message", message)
            writer.object("data") { writer in
                writer.member("code", code.rawValue)
                writer.member("retry", isRetryable)
                writer.member("data", json: data.isEmpty ? nil : data)
            }
        }
    }
}
