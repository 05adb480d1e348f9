/// A registration that a closure removes, once.
public final class ActionDisposable: Disposable {
    private var action: (() -> Void)?

    /// Whether the closure has run.
    public var disposed: Bool { action == nil }

    /// A registration that `action` removes.
    public init(action: @escaping () -> Void) { self.action = action }

    /// Runs the closure, the first time.
    public func dispose() {
        let action = action
        self.action = nil
        action?()
    }
}
