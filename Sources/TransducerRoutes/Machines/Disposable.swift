/// A registration that can be removed.
public protocol Disposable {
    /// Whether it has been removed.
    var disposed: Bool { get }

    /// Removes it; a second call does nothing.
    func dispose()
}
