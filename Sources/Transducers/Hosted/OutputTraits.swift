import OrderedJSON

/// Facts about an output's type, found once because that takes longer than a step.
@usableFromInline
struct OutputTraits: Sendable {
    /// Whether the type can have silent values.
    @usableFromInline let mayBeSilent: Bool
    /// Whether it is an enum, so that records carry the case's name.
    @usableFromInline let hasName: Bool

    @usableFromInline
    init<Output>(_ type: Output.Type) {
        mayBeSilent = type is any SilenceableOutput.Type
        hasName =
            JSONCoding.isEnum(type) || (type as? any OptionalOutput.Type)?.isEnum == true
    }
}

/// An optional output, whose wrapped type may have case names.
private protocol OptionalOutput {
    static var isEnum: Bool { get }
}

extension Optional: OptionalOutput {
    fileprivate static var isEnum: Bool { JSONCoding.isEnum(Wrapped.self) }
}
