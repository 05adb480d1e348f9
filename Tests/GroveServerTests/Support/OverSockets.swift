import GroveTestSupport
import Testing

/// The tests that talk over real sockets, one after the other, on threads of their own.
@Suite("Over sockets", .serialized, .ownThreads)
enum OverSockets {}
