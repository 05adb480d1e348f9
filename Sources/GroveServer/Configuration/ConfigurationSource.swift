import OrderedJSON

/// The places of a configuration. A reload reads them again; only the file can have changed then.
public struct ConfigurationSource: Sendable {
    /// The path of a configuration file; `nil` for none.
    public var file: String?
    /// Variables; those named `GROVE_` and a key's name count, and `CREDENTIALS_DIRECTORY`.
    public var environment: [String: String]
    /// Values of flags by the keys' names; texts of flags are `true` or `false`.
    public var flags: [String: String]
    /// The program's own defaults, in the form of flags.
    public var defaults: [String: String]

    /// A configuration from these places.
    public init(
        file: String? = nil, environment: [String: String] = [:], flags: [String: String] = [:],
        defaults: [String: String] = [:]
    ) {
        self.file = file
        self.environment = environment
        self.flags = flags
        self.defaults = defaults
    }

    /// Other variables of Grove, which no key has.
    static let otherVariables = ["GROVE_CONFIG", "GROVE_SERVER", "GROVE_TOKEN"]

    /// The settings of all places, in order of precedence, and their errors.
    struct Contents {
        var settings: [ConfigurationSetting] = []
        var problems: [ConfigurationProblem] = []

        mutating func add(_ text: String, of name: String, from origin: ConfigurationOrigin) {
            do throws(ConfigurationProblem) {
                let key = try ConfigurationKey.known(name, at: "\(origin)")
                guard let value = key.value(text) else {
                    let shown = text.prefix(ConfigurationFile.shownBytesMax)
                    throw key.problem(value: "\"\(shown)\"", at: "\(origin)")
                }
                settings.append(ConfigurationSetting(key: name, value: value, origin: origin))
            } catch {
                problems.append(error)
            }
        }
    }

    func read() -> Contents {
        var contents = Contents()
        for (name, text) in flags.sorted(by: { $0.key < $1.key }) {
            contents.add(text, of: name, from: .flag(name))
        }
        readVariables(into: &contents)
        if let file {
            let file = ConfigurationFile(path: file)
            contents.settings += file.settings
            contents.problems += file.problems
        }
        for (name, text) in defaults.sorted(by: { $0.key < $1.key }) {
            contents.add(text, of: name, from: .program)
        }
        readCredentials(into: &contents)
        return contents
    }

    private func readVariables(into contents: inout Contents) {
        for key in ConfigurationKey.all {
            guard let text = environment[key.variable] else { continue }
            contents.add(text, of: key.name, from: .variable(key.variable))
        }
        let known = Set(ConfigurationKey.all.map(\.variable))
        for name in environment.keys.sorted()
        where name.hasPrefix("GROVE_") && !known.contains(name)
            && !Self.otherVariables.contains(name)
        {
            guard let meant = ConfigurationKey.nearestVariable(to: name) else { continue }
            contents.problems.append(
                ConfigurationProblem(
                    key: name, "no key has this variable; did you mean \(meant)? \(Self.whereAll)"))
        }
    }

    /// Uses the folder of systemd's credentials where no other place names one.
    private func readCredentials(into contents: inout Contents) {
        guard let folder = environment[Self.credentialsVariable], !folder.isEmpty else { return }
        contents.settings.removeAll { $0.key == "secrets-dir" && $0.value == "" }
        contents.settings.append(
            ConfigurationSetting(
                key: "secrets-dir", value: .string(folder),
                origin: .variable(Self.credentialsVariable)))
    }

    /// The variable with the folder of `LoadCredential=` (systemd.exec(5)).
    static let credentialsVariable = "CREDENTIALS_DIRECTORY"

    /// The end of messages about unknown keys.
    static let whereAll = "'grove serve --print-config' lists all keys"
}
