/// Holds the state of a machine while it runs.
public protocol Storage<Value> {
    /// The machine's state.
    associatedtype Value

    /// The state. Set once per event from outside, after its immediate events have been applied.
    var value: Value { get nonmutating set }
}

/// A state in a property of an object that isn't kept alive: for an object that ends the run before
/// its deallocation. The program ends if the state is used later.
public struct UnownedReferenceKeyPathStorage<Host: AnyObject, Value>: Storage {
    private unowned let host: Host
    private let keyPath: ReferenceWritableKeyPath<Host, Value>

    /// The state at `keyPath` of `host`, which must outlive the run.
    public init(host: Host, keyPath: ReferenceWritableKeyPath<Host, Value>) {
        self.host = host
        self.keyPath = keyPath
    }

    /// The property.
    public var value: Value {
        get { host[keyPath: keyPath] }
        nonmutating set { host[keyPath: keyPath] = newValue }
    }
}
