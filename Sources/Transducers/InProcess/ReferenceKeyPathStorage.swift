/// A state in a property of an object, which is kept alive.
public struct ReferenceKeyPathStorage<Host: AnyObject, Value>: Storage {
    private let host: Host
    private let keyPath: ReferenceWritableKeyPath<Host, Value>

    /// The state at `keyPath` of `host`, which is kept alive.
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
