import Glibc
import OrderedJSON

/// Reads configuration files strictly: a key that isn't known is an error, not a comment.
///
/// A file is one JSON object. Each member is a key with its value, or with an object that has the
/// value as `value` and may explain it with `default`, `unit` and `reason`.
enum ConfigurationFile {
    /// Bytes of the longest file; the one with every key and reason has about 5,000.
    static let bytesMax = 1 << 20

    private static let explanations: Set<String> = ["default", "unit", "reason"]

    /// Reads the file at `path`.
    static func read(path: String) throws(ConfigurationError) -> [String: ConfigurationKey.Value] {
        try parse(try bytes(path), name: path)
    }

    /// Reads the bytes of a file; `name` is for messages.
    static func parse(
        _ bytes: [UInt8], name: String
    ) throws(ConfigurationError) -> [String: ConfigurationKey.Value] {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: bytes)
        } catch {
            throw ConfigurationError(
                key: nil, message: "\(name): no JSON at byte \(error.offset): \(error.message)")
        }
        guard let object = document.object else {
            throw ConfigurationError(key: nil, message: "\(name): a configuration is an object")
        }
        var values: [String: ConfigurationKey.Value] = [:]
        for member in object {
            let key = try ServerConfiguration.key(member.name)
            values[key.name] = try value(member.value, of: key)
        }
        return values
    }

    private static func value(
        _ json: JSONValue, of key: ConfigurationKey
    ) throws(ConfigurationError) -> ConfigurationKey.Value {
        guard let object = json.object else { return try plain(json, of: key) }
        for member in object where member.name != "value" && !explanations.contains(member.name) {
            throw ConfigurationError(
                key: key.name,
                message: "\(member.name) is not known here: value, default, unit and reason are")
        }
        guard let value = object["value"] else {
            throw ConfigurationError(key: key.name, message: "its object has no value")
        }
        return try plain(value, of: key)
    }

    private static func plain(
        _ json: JSONValue, of key: ConfigurationKey
    ) throws(ConfigurationError) -> ConfigurationKey.Value {
        switch (key.kind, json) {
        case (.text, .string(let text)): return .text(text)
        case (.word(let words), .string(let text)) where words.contains(text): return .text(text)
        case (.texts, .string(let text)): return .texts([text])
        case (.texts, .array(let elements)):
            let texts = elements.compactMap(\.string)
            if texts.count == elements.count { return .texts(texts) }
        case (.flag, .bool(let flag)): return .flag(flag)
        case (.integer(let range), .integer(let number)):
            if let number = Int(exactly: number), range.contains(number) {
                return .integer(number)
            }
        default: break
        }
        throw ConfigurationError(key: key.name, message: "must be \(key.kind.expectation)")
    }

    private static func bytes(_ path: String) throws(ConfigurationError) -> [UInt8] {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else {
            throw ConfigurationError(
                key: nil, message: "\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        defer { close(fd) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= bytesMax {
            let count = Glibc.read(fd, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                throw ConfigurationError(
                    key: nil,
                    message: "\(path) can't be read: \(String(cString: strerror(errno)))")
            }
            bytes += buffer[..<count]
        }
        throw ConfigurationError(key: nil, message: "\(path) has more than \(bytesMax) bytes")
    }
}
