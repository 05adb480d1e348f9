/// A registration that can be taken back.
public protocol Disposable {
    /// Whether it has been taken back.
    var disposed: Bool { get }

    /// Takes it back; a second time does nothing.
    func dispose()
}
