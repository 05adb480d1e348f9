import CEL
import OrderedJSON

/// A test of cel-spec.
struct ConformanceCase {
    private let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    /// Section and name, unique within a file.
    var name: String { "\(json["section"]?.string ?? "")/\(json["name"]?.string ?? "")" }

    /// What is wrong with the outcome; nil if the test passes.
    func problem() -> String? {
        guard let text = json["expr"]?.string else { return "it has no expression" }
        var variables: [CELEnvironment.Variable] = []
        var values: [CELValue] = []
        let bindings = json["bindings"]?.object ?? JSONObject()
        let declared = json["type_env"]?.object ?? JSONObject()
        // Bound variables first, so that those without a value are missing at the end.
        for binding in bindings {
            let type = declared[binding.name].map(CELType.init(conformance:)) ?? .dyn
            variables.append(CELEnvironment.Variable(binding.name, type))
            values.append(CELValue(conformance: binding.value))
        }
        for member in declared where bindings[member.name] == nil {
            variables.append(
                CELEnvironment.Variable(member.name, CELType(conformance: member.value)))
        }
        let environment = CELEnvironment(
            variables: variables, container: json["container"]?.string ?? "")
        let program: CELProgram
        do {
            program = try environment.compile(
                text, checksTypes: json["disable_check"]?.bool != true)
        } catch {
            return "\(error)"
        }
        do {
            let value = try program.evaluate(values)
            guard let expected = json["expect"] else { return "no error, but \(value)" }
            let wanted = CELValue(conformance: expected)
            return value.isIdentical(to: wanted) ? nil : "\(value) instead of \(wanted)"
        } catch {
            return json["error"]?.bool == true ? nil : "\(error)"
        }
    }
}

extension CELType {
    /// A type in the form of the tests.
    init(conformance json: JSONValue) {
        if let element = json["list"] {
            self = .list(CELType(conformance: element))
        } else if let pair = json["map"] {
            self = .map(
                CELType(conformance: pair[0] ?? nil), CELType(conformance: pair[1] ?? nil))
        } else {
            self = CELType(conformance: json.string ?? "")
        }
    }

    private init(conformance name: String) {
        switch name {
        case "int": self = .int
        case "uint": self = .uint
        case "double": self = .double
        case "string": self = .string
        case "bytes": self = .bytes
        case "bool": self = .bool
        case "null_type": self = .null
        case "timestamp", "google.protobuf.Timestamp": self = .timestamp
        case "duration", "google.protobuf.Duration": self = .duration
        case "type": self = .type
        case "list": self = .list(.dyn)
        case "map": self = .map(.dyn, .dyn)
        case "optional_type": self = .optional(.dyn)
        default: self = .dyn
        }
    }
}

extension CELValue {
    /// A value in the form of the tests: an object whose only member names the type.
    init(conformance json: JSONValue) {
        guard let member = json.object?.members.first else {
            self = .null
            return
        }
        let text = member.value.string ?? ""
        switch member.name {
        case "int": self = .int(Int64(text) ?? 0)
        case "uint": self = .uint(UInt64(text) ?? 0)
        case "double": self = .double(Double(text) ?? .nan)
        case "string": self = .string(text)
        case "bytes": self = .bytes(Self.bytes(text))
        case "bool": self = .bool(member.value.bool ?? false)
        case "list": self = .list((member.value.array ?? []).map(CELValue.init(conformance:)))
        case "map":
            var map = CELMap()
            for pair in member.value.array ?? [] {
                guard let key = CELKey(CELValue(conformance: pair[0] ?? nil)) else { continue }
                map[key] = CELValue(conformance: pair[1] ?? nil)
            }
            self = .map(map)
        case "timestamp": self = CELTimestamp(text).map(CELValue.timestamp) ?? .null
        case "duration": self = CELDuration(text).map(CELValue.duration) ?? .null
        case "type": self = .type(CELType(conformance: .string(text)))
        default: self = .null
        }
    }

    private static func bytes(_ base64: String) -> [UInt8] {
        guard
            let program = try? CELEnvironment().compile("base64.decode('\(base64)')"),
            case .bytes(let bytes)? = program.constant
        else { return [] }
        return bytes
    }

    /// Whether types and values are the same at every level, and NaN is itself.
    func isIdentical(to other: CELValue) -> Bool {
        switch (self, other) {
        case (.double(let left), .double(let right)):
            return left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
        case (.list(let left), .list(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
        case (.map(let left), .map(let right)):
            return left.count == right.count
                && left.entries.allSatisfy { entry in
                    right.entries.contains {
                        $0.key.value.isIdentical(to: entry.key.value)
                            && $0.value.isIdentical(to: entry.value)
                    }
                }
        case (.optional(let left?), .optional(let right?)): return left.isIdentical(to: right)
        default: return type.name == other.type.name && self == other
        }
    }
}
