import GroveTestSupport
import Testing

/// The tests over real sockets. They run one after the other, on separate threads.
@Suite("Over sockets", .serialized, .ownThreads)
enum OverSockets {}
