/// A hashable value of any type. Values of different types differ.
@usableFromInline
struct AnyKey: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline let value: any Hashable & Sendable

    @usableFromInline
    init(_ value: any Hashable & Sendable) { self.value = value }

    @usableFromInline
    static func == (left: AnyKey, right: AnyKey) -> Bool {
        func equal<Value: Hashable>(_ value: Value) -> Bool {
            (right.value as? Value) == value
        }
        return equal(left.value)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

    @usableFromInline var description: String { "\(value)" }
}
