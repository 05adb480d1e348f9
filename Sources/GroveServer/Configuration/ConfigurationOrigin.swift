/// The origin of a value of the configuration.
public enum ConfigurationOrigin: Sendable, Equatable, CustomStringConvertible {
    /// The key's default.
    case standard
    /// The program that hosts the machines.
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
