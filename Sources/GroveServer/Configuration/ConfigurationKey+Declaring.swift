import OrderedJSON

extension ConfigurationKey {
    /// A key of any kind; `apply` gets a value of that kind.
    init(
        _ name: String, _ kind: Kind, default standard: JSONValue, unit: String = "",
        reason: String,
        isReloadable: Bool = false,
        apply:
            @escaping @Sendable (inout ServerConfiguration, JSONValue)
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
            name, .integer(range), default: .integer(Int64(ServerOptions()[keyPath: option])),
            unit: unit, reason: reason, isReloadable: isReloadable
        ) { $0.options[keyPath: option] = Number($1.checkedInteger) }
    }

    /// A key for a bound of the journal; 0 means none.
    static func bound(
        _ name: String, _ bound: MachineBounds.Bound, unit: String, reason: String,
        isReloadable: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(
            name, .integer(0...Int(bound.max)), default: .integer(0), unit: unit, reason: reason,
            isReloadable: isReloadable
        ) { $0.options.retention.journal[keyPath: bound.member] = bound.value($1.checkedInteger) }
    }

    /// A key for an option that is `true` or `false`; the option's default is the key's.
    static func flag(
        _ name: String, _ option: any WritableKeyPath<ServerOptions, Bool> & Sendable,
        reason: String, isReloadable: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(
            name, .flag, default: .bool(ServerOptions()[keyPath: option]), reason: reason,
            isReloadable: isReloadable
        ) { $0.options[keyPath: option] = $1 == true }
    }
}

/// Values whose kind was checked.
extension JSONValue {
    var checkedInteger: Int {
        guard let integer else { preconditionFailure("no integer: \(self)") }
        return Int(integer)
    }

    var checkedText: String {
        guard let string else { preconditionFailure("no text: \(self)") }
        return string
    }

    var checkedTexts: [String] {
        guard let array else { preconditionFailure("no texts: \(self)") }
        return array.map(\.checkedText)
    }
}
