/// The places that a configuration is read from. They are read again when the server is told to
/// reload; of them, only the file can say something else then.
public struct ConfigurationSource: Sendable {
    /// The path of a configuration file; `nil` for none.
    public var file: String?
    /// Variables; those named `GROVE_` and a key's name count.
    public var environment: [String: String]
    /// Values of flags by the keys' names; texts of flags are `true` or `false`.
    public var flags: [String: String]
    /// What the program says where nobody else does, as flags.
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

    /// Variables that begin as those of keys do, and are none.
    static let otherVariables = ["GROVE_CONFIG", "GROVE_SERVER", "GROVE_TOKEN"]

    /// What one place says.
    struct Layer {
        var settings: [ConfigurationSetting] = []
    }

    /// What all places say, the one that wins first, and what is wrong there.
    typealias Contents = (layers: [Layer], problems: [ConfigurationProblem])

    /// Reads all places.
    func read() -> Contents {
        var problems: [ConfigurationProblem] = []
        var layers = [
            texts(flags, &problems) { .flag($0) }, variables(&problems),
        ]
        if let file {
            let contents = ConfigurationFile(path: file)
            layers.append(Layer(settings: contents.settings))
            problems += contents.problems
        }
        layers.append(texts(defaults, &problems) { _ in .program })
        return (layers, problems)
    }

    private func texts(
        _ texts: [String: String], _ problems: inout [ConfigurationProblem],
        origin: (String) -> ConfigurationOrigin
    ) -> Layer {
        var layer = Layer()
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            let origin = origin(name)
            guard let key = ConfigurationKey.named(name) else {
                problems.append(
                    ConfigurationProblem(
                        key: name, message: ConfigurationKey.unknownMessage(name),
                        place: "\(origin)"))
                continue
            }
            layer.add(text, of: key, from: origin, &problems)
        }
        return layer
    }

    private func variables(_ problems: inout [ConfigurationProblem]) -> Layer {
        var layer = Layer()
        for key in ConfigurationKey.all {
            guard let text = environment[key.variable] else { continue }
            layer.add(text, of: key, from: .variable(key.variable), &problems)
        }
        let known = Set(ConfigurationKey.all.map(\.variable))
        for name in environment.keys.sorted()
        where name.hasPrefix("GROVE_") && !known.contains(name)
            && !Self.otherVariables.contains(name)
        {
            guard let meant = ConfigurationKey.nearestVariable(to: name) else { continue }
            problems.append(
                ConfigurationProblem(
                    key: name,
                    message: "no key has this variable; did you mean \(meant)? \(Self.whereAll)"))
        }
        return layer
    }

    /// Where to find all keys.
    static let whereAll = "'grove serve --print-config' lists all keys"
}

extension ConfigurationSource.Layer {
    fileprivate mutating func add(
        _ text: String, of key: ConfigurationKey, from origin: ConfigurationOrigin,
        _ problems: inout [ConfigurationProblem]
    ) {
        if let value = key.value(text) {
            settings.append(ConfigurationSetting(key: key.name, value: value, origin: origin))
        } else {
            let shown = String(text.prefix(ConfigurationFile.shownBytesMax))
            problems.append(
                ConfigurationProblem(
                    key: key.name, message: "must be \(key.expectation), not \"\(shown)\"",
                    place: "\(origin)"))
        }
    }
}
