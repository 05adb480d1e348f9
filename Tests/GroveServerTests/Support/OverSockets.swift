import Testing

/// The tests that talk over real sockets, one after the other: their clients block, and a pool
/// of two threads with two blocked clients would have none left for the server's start and stop.
@Suite("Over sockets", .serialized)
enum OverSockets {}
