/// Declarations of keys.
extension ConfigurationKey {
    /// A key of any kind; `apply` gets a value of that kind.
    init(
        _ name: String, _ kind: Kind, default standard: Value, unit: String = "", reason: String,
        isReloadable: Bool = false,
        apply:
            @escaping @Sendable (inout ServerConfiguration, Value)
            throws(ConfigurationError) -> Void
    ) {
        self.init(
            name: name, kind: kind, standard: standard, unit: unit, reason: reason,
            isReloadable: isReloadable, apply: apply)
    }

    /// A key for an option that is an integer; the option's default is the key's.
    static func integer<Number: BinaryInteger & SendableMetatype>(
        _ name: String, _ range: ClosedRange<Int>,
        _ option: any WritableKeyPath<ServerOptions, Number> & Sendable, unit: String,
        reason: String, isReloadable: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(
            name, .integer(range), default: .integer(Int(ServerOptions()[keyPath: option])),
            unit: unit, reason: reason, isReloadable: isReloadable
        ) { $0.options[keyPath: option] = Number($1.integer) }
    }

    /// A key for a bound of the journal; 0 means none.
    static func bound(
        _ name: String, _ bound: MachineBounds.Bound, unit: String, reason: String,
        isReloadable: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(
            name, .integer(0...Int(bound.max)), default: .integer(0), unit: unit, reason: reason,
            isReloadable: isReloadable
        ) { $0.options.retention.journal[keyPath: bound.member] = bound.value($1.integer) }
    }

    /// A key for an option that is `true` or `false`; the option's default is the key's.
    static func flag(
        _ name: String, _ option: any WritableKeyPath<ServerOptions, Bool> & Sendable,
        reason: String, isReloadable: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(
            name, .flag, default: .flag(ServerOptions()[keyPath: option]), reason: reason,
            isReloadable: isReloadable
        ) { $0.options[keyPath: option] = $1 == .flag(true) }
    }
}

extension ConfigurationKey.Value {
    /// The number of a key with integers.
    var integer: Int {
        guard case .integer(let number) = self else { preconditionFailure("no integer: \(self)") }
        return number
    }

    /// The texts of a key with texts.
    var texts: [String] {
        guard case .texts(let texts) = self else { preconditionFailure("no texts: \(self)") }
        return texts
    }
}
