import Synchronization

/// A flag that is set once and read often.
@usableFromInline
final class AtomicFlag: Sendable {
    private let value = Atomic<Bool>(false)

    init() {}

    @usableFromInline
    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
