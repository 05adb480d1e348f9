/// Declarations of keys by the type of their value. A key path names the option that the key
/// sets, and the option's default is the key's.
extension ConfigurationKey {
    /// A key for an option that is an integer.
    static func integer<Number: BinaryInteger & SendableMetatype>(
        _ name: String, _ range: ClosedRange<Int>,
        _ option: any WritableKeyPath<ServerOptions, Number> & Sendable, unit: String,
        reason: String, isReloadable: Bool = false
    ) -> ConfigurationKey {
        integer(
            name, range, default: Int(ServerOptions()[keyPath: option]), unit: unit,
            reason: reason, isReloadable: isReloadable
        ) { $0.options[keyPath: option] = Number($1) }
    }

    /// A key for a bound of the journal; 0 means none.
    static func bound(
        _ name: String, _ bound: MachineBounds.Bound, unit: String, reason: String,
        isReloadable: Bool = false
    ) -> ConfigurationKey {
        integer(
            name, 0...Int(bound.max), default: 0, unit: unit, reason: reason,
            isReloadable: isReloadable
        ) { $0.options.retention.journal[keyPath: bound.member] = bound.value($1) }
    }

    /// A key with an integer.
    static func integer(
        _ name: String, _ range: ClosedRange<Int>, default standard: Int, unit: String,
        reason: String, isReloadable: Bool = false,
        apply: @escaping @Sendable (inout ServerConfiguration, Int) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, kind: .integer(range), standard: .integer(standard), unit: unit,
            reason: reason, isReloadable: isReloadable
        ) { configuration, value in
            guard case .integer(let number) = value else { return wrongKind(name) }
            apply(&configuration, number)
        }
    }

    /// A key for an option that is `true` or `false`.
    static func flag(
        _ name: String, _ option: any WritableKeyPath<ServerOptions, Bool> & Sendable,
        reason: String, isReloadable: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, kind: .flag, standard: .flag(ServerOptions()[keyPath: option]), unit: "",
            reason: reason, isReloadable: isReloadable
        ) { configuration, value in
            guard case .flag(let flag) = value else { return wrongKind(name) }
            configuration.options[keyPath: option] = flag
        }
    }

    /// A key with one word of a list.
    static func word(
        _ name: String, _ words: [String], default standard: String, reason: String,
        isReloadable: Bool = false,
        apply: @escaping @Sendable (inout ServerConfiguration, String) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, kind: .word(words), standard: .text(standard), unit: "", reason: reason,
            isReloadable: isReloadable
        ) { configuration, value in
            guard case .text(let word) = value else { return wrongKind(name) }
            apply(&configuration, word)
        }
    }

    /// A key with a text.
    static func text(
        _ name: String, default standard: String = "", reason: String,
        apply:
            @escaping @Sendable (inout ServerConfiguration, String)
            throws(ConfigurationError) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, kind: .text, standard: .text(standard), unit: "", reason: reason,
            isReloadable: false
        ) { (configuration, value) throws(ConfigurationError) in
            guard case .text(let text) = value else { return wrongKind(name) }
            try apply(&configuration, text)
        }
    }

    /// A key with several texts.
    static func texts(
        _ name: String, default standard: [String] = [], reason: String,
        isReloadable: Bool = false,
        apply:
            @escaping @Sendable (inout ServerConfiguration, [String])
            throws(ConfigurationError) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, kind: .texts, standard: .texts(standard), unit: "", reason: reason,
            isReloadable: isReloadable
        ) { (configuration, value) throws(ConfigurationError) in
            guard case .texts(let texts) = value else { return wrongKind(name) }
            try apply(&configuration, texts)
        }
    }

    private static func wrongKind(_ name: String) {
        preconditionFailure("\(name) has a value of another kind")
    }
}
