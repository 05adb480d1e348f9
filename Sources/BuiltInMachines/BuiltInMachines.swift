public import Transducers

/// The machines that come with Grove: small ones to try the server with, to test it and to
/// learn from. ``Order`` is a whole workflow, ``SignIn`` waits for somebody outside, ``Periodic``
/// does something again and again.
public enum BuiltInMachines {
    /// All of them, ready to be hosted, in the order of their names.
    public static let definitions: [Definition] = [
        Definition(Counter.self, named: "counter", version: "1.0.0"),
        Definition(Order.self, named: "order", version: "1.1.0", handlers: ["http"]),
        Definition(Periodic.self, named: "periodic", version: "1.1.0"),
        Definition(Shipment.self, named: "shipment", version: "1.0.0"),
        Definition(SignIn.self, named: "sign-in", version: "1.0.0"),
        Definition(Turnstile.self, named: "turnstile", version: "1.0.0"),
    ]
}

/// The bounds of numbers that go over the wire.
enum WireInteger {
    /// The greatest integer that every JSON reader keeps exactly: 2^53 − 1 (RFC 7493, 2.2).
    static let max = (1 << 53) - 1
}
