/// A value on its way to another task or actor: put in once, taken out once.
@usableFromInline
package struct Handover<Value>: ~Copyable, @unchecked Sendable {
    // Sendable, because the value has one user at a time: it is given away when it is put in, and
    // taking it out consumes the only copy of this.
    @usableFromInline let value: Value

    /// The compiler sees that the value is given away.
    @inlinable
    package init(_ value: sending Value) { self.value = value }

    /// For a value that is given away, or stays on its actor, unseen by the compiler: a comment of
    /// the caller proves it.
    @inlinable
    package init(unchecked value: Value) { self.value = value }

    @inlinable
    package consuming func take() -> sending Value { value }
}
