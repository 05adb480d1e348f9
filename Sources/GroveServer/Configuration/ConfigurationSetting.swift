/// Where a value of the configuration comes from.
public enum ConfigurationOrigin: Sendable, Equatable, CustomStringConvertible {
    /// Nothing was said.
    case standard
    /// The program that hosts the machines says so.
    case program
    /// A file, by its path, and the line in it.
    case file(String, line: Int)
    /// A variable of the environment, by its name.
    case variable(String)
    /// A flag of the command line, by its key's name.
    case flag(String)

    /// The place for people: `default`, `program`, `grove.json, line 3`, `GROVE_MAX_LINE`,
    /// `--max-line`.
    public var description: String {
        switch self {
        case .standard: "default"
        case .program: "program"
        case .file(let path, let line): "\(path), line \(line)"
        case .variable(let name): name
        case .flag(let name): "--\(name)"
        }
    }
}

/// A key with the value that holds for it, and where that comes from.
public struct ConfigurationSetting: Sendable, Equatable {
    /// The key's name.
    public let key: String
    /// The value.
    public let value: ConfigurationKey.Value
    /// Where the value comes from.
    public let origin: ConfigurationOrigin

    /// Puts the three together.
    public init(key: String, value: ConfigurationKey.Value, origin: ConfigurationOrigin) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}
