public import Transducers

/// The machines that come with Grove: small ones to try the server with, to test it and to
/// learn from.
public enum BuiltInMachines {
    /// All of them, ready to be hosted, in the order of their names.
    public static let definitions: [Definition] = [
        Definition(Counter.self, named: "counter", version: "1.0.0"),
        Definition(Order.self, named: "order", version: "1.0.0"),
        Definition(Turnstile.self, named: "turnstile", version: "1.0.0"),
    ]
}

/// The bounds of numbers that go over the wire.
enum WireInteger {
    /// The greatest integer that every JSON reader keeps exactly: 2^53 − 1 (RFC 7493, 2.2).
    static let max = (1 << 53) - 1
}
