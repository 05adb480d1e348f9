/// A state of its own.
@usableFromInline
final class LocalStorage<Value>: Storage {
    @usableFromInline var value: Value

    @inlinable
    init(value: Value) { self.value = value }
}
