/// The value that holds for each key, read by the key's name.
///
/// A key that isn't in the settings, or whose value is of another kind, reads as the kind's empty
/// value; ``ServerConfiguration`` has a setting of the right kind for every key.
struct ConfigurationValues {
    private let values: [String: ConfigurationKey.Value]

    /// The values of settings; of several of one key the first holds.
    init(_ settings: [ConfigurationSetting]) {
        values = Dictionary(settings.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// The integer of a key of kind `integer`; otherwise 0.
    func integer(_ key: String) -> Int {
        guard case .integer(let number) = values[key] else { return 0 }
        return number
    }

    /// The text of a key of kind `text` or `word`; otherwise empty.
    func text(_ key: String) -> String {
        guard case .text(let text) = values[key] else { return "" }
        return text
    }

    /// The texts of a key of kind `texts`; otherwise none.
    func texts(_ key: String) -> [String] {
        guard case .texts(let texts) = values[key] else { return [] }
        return texts
    }

    /// The flag of a key of kind `flag`; otherwise `false`.
    func flag(_ key: String) -> Bool {
        values[key] == .flag(true)
    }
}
