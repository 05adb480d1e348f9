import CCurl
import Dispatch
import GroveNetwork

/// Makes requests by the system's libcurl, each at the one address that was checked for it.
///
/// It lives on a queue of its own. While requests are under way, turns follow one another there,
/// each of which does what can be done and then waits; without any, the queue has no thread.
/// Whatever else is to run on the queue ends the wait.
actor CurlLoop: QueueActor {
    nonisolated let executor: QueueExecutor
    private let waker = CurlWaker()
    /// Runs the actor on its queue.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How long connecting may take: less than a request, so that the next try can take another
    /// of the name's addresses soon.
    static let connectTimeMax = Duration.seconds(10)
    /// How long a connection that nobody uses is kept.
    static let idleTimeMax = Duration.seconds(15)

    private let options: CurlTransfer.Options
    private let libraryNames: [String]
    /// There while requests are under way, and for a while after.
    private var multi: CurlMulti?
    /// Requests under way, by the address of their handle.
    private var transfers: [UInt: CurlTransfer] = [:]
    /// Requests that were begun, ever.
    private var begun: UInt64 = 0
    /// Whether a turn is on the queue.
    private var isTurning = false

    /// A loop that loads the library at its first request.
    init(_ options: CurlTransfer.Options, libraryNames: [String] = CurlLibrary.names) {
        self.options = options
        self.libraryNames = libraryNames
        executor = QueueExecutor(label: "grove.http") { [waker] in waker.wake() }
    }

    /// Makes one request, redirects not followed.
    ///
    /// - Parameter place: The only address that it may go to.
    /// - Throws: ``CurlLibrary/Missing``, `HTTPFailure`, `CancellationError`, and
    ///   `PermanentFailure` for a head that is too large.
    func answer(to hop: HTTPHop, at place: PinnedPlace) async throws -> HTTPAnswer {
        let multi = try preparedMulti()
        let transfer: CurlTransfer
        do {
            transfer = try CurlTransfer(hop, at: place, multi.library, options)
        } catch {
            // No turn will come to its end, if none is under way.
            if transfers.isEmpty { closeLater() }
            throw error
        }
        begun += 1
        transfer.number = begun
        let number = begun
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfer.continuation = continuation
                begin(transfer, multi)
            }
        } onCancel: {
            // Behind the beginning, which holds the queue until then.
            post { $0.cancel(number) }
        }
    }

    private func preparedMulti() throws -> CurlMulti {
        if let multi { return multi }
        let multi = try CurlMulti(CurlLibrary.load(libraryNames), waker: waker)
        self.multi = multi
        return multi
    }

    private func begin(_ transfer: CurlTransfer, _ multi: CurlMulti) {
        guard multi.add(transfer) else {
            if transfers.isEmpty { closeLater() }
            return transfer.end(throwing: HTTPFailure("libcurl didn't take the request"))
        }
        transfers[UInt(bitPattern: transfer.easy)] = transfer
        guard !isTurning else { return }
        isTurning = true
        turnAgain()
    }

    private func cancel(_ number: UInt64) {
        guard let transfer = transfers.first(where: { $0.value.number == number }) else { return }
        transfers[transfer.key] = nil
        multi?.remove(transfer.value)
        transfer.value.end(throwing: CancellationError())
    }

    private func turn() {
        guard let multi else { preconditionFailure("requests under way keep their connections") }
        for (easy, code) in multi.perform() {
            guard let transfer = transfers.removeValue(forKey: easy) else { continue }
            multi.remove(transfer)
            transfer.end(code)
        }
        guard !transfers.isEmpty else {
            isTurning = false
            return closeLater()
        }
        if multi.poll() { return turnAgain() }
        // No memory to wait with: whoever asked tries again.
        isTurning = false
        for transfer in transfers.values {
            multi.remove(transfer)
            transfer.end(throwing: HTTPFailure("libcurl can't wait for answers"))
        }
        transfers = [:]
        closeLater()
    }

    /// Behind whatever has come to the queue meanwhile; without ending the wait that will be.
    private func turnAgain() {
        executor.queue.async { self.assumeIsolated { $0.turn() } }
    }

    /// Closes the connections when nobody has used them for a while: without a turn, nobody
    /// notices that the other side has closed one.
    private func closeLater() {
        let wait = DispatchTimeInterval.milliseconds(Int(options.idleTime / .milliseconds(1)))
        executor.queue.asyncAfter(deadline: .now() + wait) { [weak self, begun] in
            self?.assumeIsolated { loop in
                guard loop.begun == begun, loop.transfers.isEmpty else { return }
                loop.multi = nil
            }
        }
    }

    /// Whether connections are kept, in use or not.
    var isOpen: Bool { multi != nil }
}
