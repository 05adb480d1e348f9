/// What reading a configuration again comes to, for a server that runs.
public struct ConfigurationReload: Sendable {
    /// A key that has another value now.
    public struct Change: Sendable, Equatable, CustomStringConvertible {
        /// The key's name.
        public let key: String
        /// The value that held.
        public let old: ConfigurationKey.Value
        /// The value that was read.
        public let new: ConfigurationKey.Value

        /// Key and both values, on one line.
        public var description: String { "\(key): \(old.text) -> \(new.text)" }
    }

    /// What holds from now on: what was read, but for keys that need a restart.
    public let configuration: ServerConfiguration
    /// What changes now.
    public let changes: [Change]
    /// What would change, but only by a restart.
    public let waiting: [Change]

    /// Reads a source again.
    ///
    /// - Parameters:
    ///   - source: Where from.
    ///   - running: What holds so far.
    /// - Throws: ``ConfigurationError``; then nothing is to change.
    public init(
        _ source: ConfigurationSource, running: ServerConfiguration
    ) throws(ConfigurationError) {
        // Once: a file that changes in between would be half of each.
        let contents = source.read()
        let read = try ServerConfiguration(contents, running: [])
        let kept = running.settings.filter { setting in
            ConfigurationKey.named(setting.key)?.isReloadable != true
        }
        configuration = try ServerConfiguration(contents, running: kept)
        let changes = zip(running.settings, read.settings).compactMap { old, new in
            old.value == new.value
                ? nil : Change(key: old.key, old: old.value, new: new.value)
        }
        self.changes = changes.filter { ConfigurationKey.named($0.key)?.isReloadable == true }
        waiting = changes.filter { ConfigurationKey.named($0.key)?.isReloadable != true }
    }
}
