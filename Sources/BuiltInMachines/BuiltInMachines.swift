public import Transducers

/// The machines that come with Grove, to try the server, to test it and to learn from.
///
/// ``Order`` is a workflow, ``SignIn`` waits for an answer from outside, ``Periodic`` repeats.
public enum BuiltInMachines {
    /// All of them, ready to be hosted, sorted by name.
    public static let definitions: [Definition] = [
        Definition(Counter.self, named: "counter", version: "1.0.0"),
        Definition(Order.self, named: "order", version: "1.1.0", handlers: ["http"]),
        Definition(Periodic.self, named: "periodic", version: "1.1.0"),
        Definition(Shipment.self, named: "shipment", version: "1.0.0"),
        Definition(SignIn.self, named: "sign-in", version: "1.0.0"),
        Definition(Turnstile.self, named: "turnstile", version: "1.0.0"),
    ]
}
