public import OrderedJSON

/// A configuration that was read again, compared with that of the running server.
public struct ConfigurationReload: Sendable {
    /// A key that has another value now.
    public struct Change: Sendable, Equatable, CustomStringConvertible {
        /// The key's name.
        public let key: String
        /// The value that held.
        public let old: JSONValue
        /// The value that was read.
        public let new: JSONValue

        /// Key and both values, on one line.
        public var description: String {
            "\(key): \(ConfigurationKey.text(old)) -> \(ConfigurationKey.text(new))"
        }
    }

    /// The configuration from now on: the new values, except for keys that need a restart.
    public let configuration: ServerConfiguration
    /// The changes that take effect now.
    public let changes: [Change]
    /// The changes that need a restart.
    public let waiting: [Change]

    /// Reads a source again.
    ///
    /// - Parameters:
    ///   - source: The places to read.
    ///   - running: The configuration so far.
    /// - Throws: ``ConfigurationError``; then nothing changes.
    public init(
        _ source: ConfigurationSource, running: ServerConfiguration
    ) throws(ConfigurationError) {
        // Read once: a file that changes in between would give a mixture.
        let contents = source.read()
        let read = try ServerConfiguration(contents, running: [])
        let kept = running.settings.filter { !ConfigurationKey.isReloadable($0.key) }
        configuration = try ServerConfiguration(contents, running: kept)
        let changes = zip(running.settings, read.settings).compactMap { old, new in
            old.value == new.value
                ? nil : Change(key: old.key, old: old.value, new: new.value)
        }
        self.changes = changes.filter { ConfigurationKey.isReloadable($0.key) }
        waiting = changes.filter { !ConfigurationKey.isReloadable($0.key) }
    }
}
