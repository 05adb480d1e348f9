/// The value of a header of an ``HTTPRequest``: a text, or the name of a secret of the server.
///
///     ["Accept": "application/json", "Authorization": .secret("stripe", prefix: "Bearer ")]
///
/// As JSON: `"application/json"`, `{"secret":"stripe","prefix":"Bearer "}`. A machine never sees
/// the value of a secret: the server puts it in when it sends the request, and its journal has the
/// name only.
public enum HTTPHeaderValue: Hashable, Sendable {
    /// The text itself.
    case text(String)
    /// The value of the server's secret of this name, after a prefix.
    case secret(String, prefix: String = "")
}

extension HTTPHeaderValue: ExpressibleByStringInterpolation {
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension HTTPHeaderValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case secret
        case prefix
    }

    /// Decodes a text, or an object with `secret` and, optionally, `prefix`.
    public init(from decoder: any Decoder) throws {
        // No text: an object, or the error of one.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .text(text)
            return
        }
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self = .secret(
            try members.decode(String.self, forKey: .secret),
            prefix: try members.decodeIfPresent(String.self, forKey: .prefix) ?? "")
    }

    /// Encodes a text, or an object without an empty prefix.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text):
            var value = encoder.singleValueContainer()
            try value.encode(text)
        case .secret(let name, let prefix):
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(name, forKey: .secret)
            if !prefix.isEmpty { try members.encode(prefix, forKey: .prefix) }
        }
    }
}
