/// Where the state of a machine is kept while it runs.
public protocol Storage<Value> {
    /// The machine's state.
    associatedtype Value

    /// The state. Set once for each event from outside, when it and all it caused have been
    /// applied.
    var value: Value { get nonmutating set }
}

/// A state that is a property of an object which isn't kept alive: for an object that ends the
/// run before it goes. The program ends if the state is asked for after that.
public struct UnownedReferenceKeyPathStorage<Host: AnyObject, Value>: Storage {
    private unowned let host: Host
    private let keyPath: ReferenceWritableKeyPath<Host, Value>

    /// The state at `keyPath` of `host`, which has to outlive the run.
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
