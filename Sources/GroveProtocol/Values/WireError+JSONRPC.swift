import GroveWire
import OrderedJSON

extension WireError {
    /// The same error about a value deeper in the line: inserts `prefix`, such as `.items[3]`,
    /// after the `$` of the path in `data.at`. An error without a path is unchanged.
    func inside(_ prefix: String) -> WireError {
        var error = self
        let offset = Self.pathStart.count
        if !prefix.isEmpty, data.starts(with: Self.pathStart) {
            error.data.insert(contentsOf: prefix.utf8, at: offset)
        }
        return error
    }

    /// The beginning of `data` with a path; `at` is always its first member.
    private static let pathStart = Array(#"{"at":"$"#.utf8)

    /// The path in `data.at`; `nil` if there is none.
    var path: String? {
        // `data` was written here, so it is JSON.
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

    /// Appends `"error":{…}` in the form of JSON-RPC: a number, and this protocol's error as its
    /// `data`.
    func appendJSONRPC(to writer: inout JSONWriter) {
        writer.object("error") { writer in
            writer.member("code", isNoRequest ? ErrorCode.invalidRequestNumber : code.number)
            writer.member("message", message)
            writer.object("data") { writer in
                writer.member("code", code.rawValue)
                writer.member("retry", isRetryable)
                writer.member("retry_after_ms", retryAfter)
                writer.member("data", json: data.isEmpty ? nil : data)
            }
        }
    }
}
