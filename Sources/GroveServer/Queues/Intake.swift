import GroveEngine

/// Requests on their way into the engine: those of one connection in their order, several
/// connections in turns.
///
/// A connection that had nothing waiting goes before those that wait for their next turn, so that a
/// client with one request doesn't wait for a client with thousands. But every other turn goes to
/// the latter.
///
/// A connection has no turn while its client hasn't accepted the large replies that it was sent, or
/// while it waits for a page. So a client that asks faster than it reads can't use more memory than
/// one window.
struct Intake {
    private var waiting: [ConnectionID: WaitingTurns] = [:]
    /// Connections that wait for their first turn.
    private var first = WaitingQueue<UInt64>()
    /// Connections that have had a turn.
    private var others = WaitingQueue<UInt64>()
    /// Connections that may have no turn now; they are in neither queue.
    private var paused: Set<ConnectionID> = []
    /// Whether ``next()`` gave a connection its first turn.
    private var wasFirst = false
    /// Whether only connections that wait for their first turn get one, until the next batch.
    private var isOnlyFirst = false
    /// Closed connections with waiting requests.
    private var ending: Set<ConnectionID> = []
    private var windows: [ConnectionID: Window] = [:]
    /// Connections whose next request waits for a page, in order; some may be gone.
    private var pageWaiters = WaitingQueue<UInt64>()
    /// Bytes of large replies that a client may have been sent without accepting them.
    private var windowBytes: Int

    /// The turns of one connection: the rest of its last turn, and the others in their order.
    private struct WaitingTurns {
        var rest: ArraySlice<Request>?
        var turns = WaitingQueue<ArraySlice<Request>>()

        var isEmpty: Bool { rest == nil && turns.count == 0 }

        mutating func next() -> ArraySlice<Request>? {
            defer { rest = nil }
            return rest ?? turns.next()
        }
    }

    /// The large replies to one connection, in bytes.
    private struct Window {
        var posted = 0
        var accepted = 0
        /// Whether its next request waits until a page is answered.
        var waitsForPage = false
    }

    /// An empty queue.
    init(windowBytes: Int) { self.windowBytes = windowBytes }

    /// Whether no connection waits for a turn that it may have.
    var isEmpty: Bool { first.count == 0 && others.count == 0 }

    /// Appends requests of one connection.
    mutating func add(_ burst: [Request]) {
        guard let connection = burst.first?.connection else { return }
        if waiting[connection] == nil { first.append(connection.value) }
        guard burst.count > Self.requestsPerTurn else {
            waiting[connection, default: WaitingTurns()].turns.append(burst[...])
            return
        }
        var turns: [[Request]] = []
        Self.split(burst, into: &turns)
        for turn in turns {
            waiting[connection, default: WaitingTurns()].turns.append(turn[...])
        }
    }

    /// Appends requests of one connection in parts of one turn. Each has memory of its own, which
    /// the turn frees.
    static func split(_ burst: [Request], into turns: inout [[Request]]) {
        guard burst.count > requestsPerTurn else { return turns.append(burst) }
        for begin in stride(from: 0, to: burst.count, by: requestsPerTurn) {
            turns.append(Array(burst[begin..<min(begin + requestsPerTurn, burst.count)]))
        }
    }

    /// Begins a batch. After a long commit, connections that had nothing waiting get a batch
    /// without the others. The batch after it is for all: else the others would wait for as long as
    /// commits are long and new requests come.
    mutating func beginBatch(afterLongCommit isLong: Bool) {
        isOnlyFirst = isLong && !isOnlyFirst && first.count > 0
        if isLong { wasFirst = !isOnlyFirst }
    }

    /// The requests of the next turn of the batch, all of one connection.
    mutating func next() -> ArraySlice<Request>? {
        while let id = nextConnection() {
            let connection = ConnectionID(id)
            guard isOpen(connection) else {
                paused.insert(connection)
                continue
            }
            let turn = waiting[connection]?.next()
            if waiting[connection]?.isEmpty == true {
                waiting[connection] = nil
            } else {
                others.append(id)
            }
            return turn
        }
        return nil
    }

    private mutating func nextConnection() -> UInt64? {
        if !isOnlyFirst, wasFirst, let id = others.next() {
            wasFirst = false
            return id
        }
        let id = first.next()
        wasFirst = id != nil
        return id ?? (isOnlyFirst ? nil : others.next())
    }

    /// Puts back the rest of a connection's last turn: it comes first.
    ///
    /// - Parameter waitsForPage: Whether it waits for ``resumePageWaiters(_:)``.
    mutating func putBack(_ rest: ArraySlice<Request>, waitsForPage: Bool = false) {
        guard let connection = rest.first?.connection else { return }
        if waiting[connection] == nil { others.append(connection.value) }
        waiting[connection, default: WaitingTurns()].rest = rest
        guard waitsForPage, windows[connection]?.waitsForPage != true else { return }
        windows[connection, default: Window()].waitsForPage = true
        pageWaiters.append(connection.value)
    }

    // MARK: Windows

    private func isOpen(_ connection: ConnectionID) -> Bool {
        guard !windows.isEmpty, let window = windows[connection], !ending.contains(connection)
        else { return true }
        return !window.waitsForPage && window.posted - window.accepted < windowBytes
    }

    /// Bytes of large replies that a connection may still be sent, at least 1.
    func room(of connection: ConnectionID) -> Int {
        guard !windows.isEmpty, let window = windows[connection] else { return windowBytes }
        return max(1, windowBytes - (window.posted - window.accepted))
    }

    /// Counts a large reply to a connection.
    mutating func post(_ weight: Int, to connection: ConnectionID) {
        windows[connection, default: Window()].posted += weight
    }

    /// Records that a client accepted the replies up to a sum of weights.
    mutating func accepted(_ weight: Int, by connection: ConnectionID) {
        guard let window = windows[connection] else { return }
        windows[connection]?.accepted = max(window.accepted, weight)
        resume(connection)
    }

    /// Whether some connection waits until a page is answered.
    var waitsForPages: Bool { pageWaiters.count > 0 }

    /// Resumes connections that wait for pages, as many as there are pages free.
    mutating func resumePageWaiters(_ free: Int) {
        var left = free
        while left > 0, let id = pageWaiters.next() {
            let connection = ConnectionID(id)
            guard windows[connection]?.waitsForPage == true else { continue }
            windows[connection]?.waitsForPage = false
            resume(connection)
            left -= 1
        }
    }

    /// Changes the windows of all connections.
    mutating func setWindow(_ bytes: Int) {
        windowBytes = bytes
        for connection in paused.sorted(by: { $0.value < $1.value }) { resume(connection) }
    }

    private mutating func resume(_ connection: ConnectionID) {
        guard isOpen(connection), paused.remove(connection) != nil else { return }
        others.append(connection.value)
    }

    // MARK: The end of a connection

    /// Records that a connection has ended. Its requests are still applied.
    ///
    /// - Returns: Whether some wait; then ``hasEnded(_:)`` reports the last one.
    mutating func end(_ connection: ConnectionID) -> Bool {
        guard waiting[connection] != nil else { return false }
        ending.insert(connection)
        resume(connection)
        return true
    }

    /// Whether a connection has ended and some of its requests wait.
    func isEnding(_ connection: ConnectionID) -> Bool {
        !ending.isEmpty && ending.contains(connection)
    }

    /// Whether a connection has ended and its last turn was dequeued; `true` once.
    mutating func hasEnded(_ connection: ConnectionID) -> Bool {
        waiting[connection] == nil && ending.remove(connection) != nil
    }

    /// Removes a connection that gets no more replies.
    mutating func remove(_ connection: ConnectionID) { windows[connection] = nil }
}
