public import OrderedJSON

/// A key of the configuration. ``all`` is the one list of keys, for files, flags, the environment,
/// `Config/grove.json` and `docs/reference/configuration.md`.
public struct ConfigurationKey: Sendable {
    /// The type of a value, and its bounds.
    public enum Kind: Sendable, Equatable {
        /// A text.
        case text
        /// One text or several; in flags and environment separated by commas.
        case texts
        /// `true` or `false`.
        case flag
        /// An integer within bounds.
        case integer(ClosedRange<Int>)
        /// One word of a list.
        case word([String])

        /// The allowed values, for people.
        public var expectation: String {
            switch self {
            case .text: "a text"
            case .texts: "a text or a list of texts"
            case .flag: "true or false"
            case .integer(let range):
                "an integer from \(range.lowerBound) to \(range.upperBound)"
            case .word(let words): "one of \(words.joined(separator: ", "))"
            }
        }

        /// The text that a number without quotes stands for; `nil` where a text wouldn't do either.
        func text(meantBy number: String) -> String? {
            switch self {
            case .text: number
            // 660 is the mode 0660.
            case .word(let words):
                words.first { Double($0).map { $0 == Double(number) } ?? false }
            case .texts, .flag, .integer: nil
            }
        }

        func allows(_ value: JSONValue) -> Bool {
            switch (self, value) {
            case (.text, .string), (.flag, .bool): true
            case (.word(let words), .string(let word)): words.contains(word)
            case (.texts, .array(let texts)): texts.allSatisfy { $0.string != nil }
            case (.integer(let range), .integer(let number)):
                Int(exactly: number).map(range.contains) ?? false
            default: false
            }
        }
    }

    /// The key's name in files; `--name` as a flag, `GROVE_NAME` in the environment.
    public let name: String
    /// The type of its value.
    public let kind: Kind
    /// The default.
    public let standard: JSONValue
    /// What a number counts; empty for others.
    public let unit: String
    /// The reason for the key, and for its default.
    public let reason: String
    /// Whether ``Server/reload()`` can change its value.
    public let isReloadable: Bool
    /// Sets what the key configures to a value of its kind.
    ///
    /// - Throws: The error of a value of the right kind, without key and place.
    let apply: @Sendable (inout ServerConfiguration, JSONValue) throws(ConfigurationError) -> Void

    /// The variable of the environment, such as `GROVE_MAX_LINE`.
    public var variable: String {
        "GROVE_" + name.uppercased().replacing("-", with: "_")
    }

    /// The key of this name.
    public static func named(_ name: String) -> ConfigurationKey? {
        all.first { $0.name == name }
    }

    /// Whether ``Server/reload()`` can change the value of the key of this name.
    static func isReloadable(_ name: String) -> Bool { named(name)?.isReloadable == true }
}
