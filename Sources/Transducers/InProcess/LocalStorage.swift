/// A state in memory.
@usableFromInline
final class LocalStorage<Value>: Storage {
    @usableFromInline var value: Value

    @inlinable
    init(value: Value) { self.value = value }
}
