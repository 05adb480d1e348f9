import GroveProtocol
import GroveTestSupport
import GroveWire
import OrderedJSON

/// The other shape of lines, made mechanically: what a client sends as JSON-RPC 2.0, and what a
/// server's answer in plain lines is as JSON-RPC.
enum Translation {
    // MARK: What the client sends

    /// A client's line, without its newline, as JSON-RPC. One that is no JSON object stays.
    static func request(_ line: [UInt8]) -> [UInt8] {
        if line.last == 13 { return request(Array(line.dropLast())) + [13] }
        // What isn't JSON is refused, in whatever shape.
        guard let object = (try? JSONValue(parsing: line))?.object else { return line }
        var request: JSONObject = ["jsonrpc": "2.0"]
        var params = JSONObject()
        for member in object {
            switch member.name {
            case "op": request["method"] = member.value
            case "id": request["id"] = member.value
            default: params[member.name] = member.value
            }
        }
        if !params.isEmpty { request["params"] = .object(params) }
        return JSONValue.object(request).serialized()
    }

    /// Lines of a client, newlines and all.
    static func requests(_ lines: [UInt8]) -> [UInt8] {
        let split = lines.split(separator: 10, omittingEmptySubsequences: false)
        return Array(split.map { request(Array($0)) }.joined(separator: [10]))
    }

    // MARK: What the server answers

    /// A line of the server as it must be in the other shape.
    static func answer(_ line: JSONValue) throws -> JSONValue {
        guard let object = line.object else { throw TestProblem("no object: \(line)") }
        if object["jsonrpc"] != nil { return line }
        if let op = object["op"] { return notification(op, object, without: "op") }
        if object["sub"] != nil, object["id"] == nil {
            return notification("record", object, without: "")
        }
        guard let id = object["id"] else { throw TestProblem("what is this line? \(line)") }
        var answer: JSONObject = ["id": id, "jsonrpc": "2.0"]
        if let error = object["error"] {
            answer["error"] = try self.error(error)
        } else {
            var result = object
            result["id"] = nil
            result["ok"] = nil
            answer["result"] = .object(try placed(result, at: "results"))
        }
        return .object(answer)
    }

    private static func notification(
        _ method: JSONValue, _ object: JSONObject, without name: String
    ) -> JSONValue {
        var params = object
        params[name] = nil
        return ["jsonrpc": "2.0", "method": method, "params": .object(params)]
    }

    private static func error(_ error: JSONValue) throws -> JSONValue {
        guard let word = error["code"]?.string, let code = ErrorCode(rawValue: word),
            let message = error["message"]
        else { throw TestProblem("no error: \(error)") }
        var number = code.number
        let isEnvelope = ["$", "$.id", "$.op"].contains(error["data"]?["at"]?.string)
        if code == .badRequest, isEnvelope, message.string != "hello was said before" {
            number = ErrorCode.invalidRequestNumber
        }
        var data: JSONObject = ["code": .string(word)]
        data["retry"] = error["retry"]
        if let wait = error["retry_after_ms"] { data["retry_after_ms"] = wait }
        if let inner = error["data"]?.object { data["data"] = .object(placed(inner)) }
        // Of the envelope, another member is spoken of.
        let words = ["an op is missing", "an op is a string"].contains(message.string)
        let text = words ? message.string?.replacing("an op", with: "a method") : message.string
        return [
            "code": .integer(number), "message": .string(text ?? ""), "data": .object(data),
        ]
    }

    /// The paths in an error's data, from the root of the other line.
    private static func placed(_ data: JSONObject) -> JSONObject {
        var data = data
        if let path = data["at"]?.string { data["at"] = .string(placed(path)) }
        return data
    }

    private static func placed(_ path: String) -> String {
        switch path {
        case "$", "$.id": path
        case "$.op": "$.method"
        default: "$.params" + path.dropFirst()
        }
    }

    /// The same for errors inside of a result, which have the shape of the line.
    private static func placed(_ result: JSONObject, at name: String) throws -> JSONObject {
        guard let items = result[name]?.array else { return result }
        var result = result
        result[name] = .array(
            try items.map { item in
                guard let error = item["error"] else { return item }
                return ["error": try self.error(error)]
            })
        return result
    }
}
