import CCurl
import Dispatch
import GroveNetwork

/// Makes requests with the system's libcurl, each to the one address that was checked for it.
///
/// It has its own queue. While requests run, turns follow one another on it: a turn does what is
/// ready and then waits. Without requests, the queue has no thread. Other work for the queue ends
/// the wait.
actor CurlLoop: QueueActor {
    nonisolated let executor: QueueExecutor
    private let waker = CurlWaker()
    /// Runs the actor on its queue.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let options: CurlTransfer.Options
    private let libraryNames: [String]
    /// The connections; kept for ``idleTimeMax`` after the last request.
    private var multi: CurlMulti?
    /// The running requests, by the address of their handle.
    private var transfers: [UInt: CurlTransfer] = [:]
    /// The number of requests that began, ever.
    private var begun: UInt64 = 0
    /// Whether a turn is in the queue.
    private var isTurning = false

    init(_ options: CurlTransfer.Options, libraryNames: [String] = CurlLibrary.names) {
        self.options = options
        self.libraryNames = libraryNames
        executor = QueueExecutor(label: "grove.http") { [waker] in waker.wake() }
    }

    /// Makes one request and follows no redirects.
    ///
    /// - Parameter address: The only address that it may go to.
    /// - Throws: ``CurlLibrary/Missing``, `HTTPFailure`, `CancellationError`, and
    ///   `PermanentFailure` for a head that is too large.
    func answer(to hop: HTTPHop, at address: IPAddress) async throws -> HTTPAnswer {
        let multi = try preparedMulti()
        let transfer: CurlTransfer
        do {
            transfer = try CurlTransfer(hop, at: address, multi.library, options)
        } catch {
            // Without requests, no turn will close the connections.
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
            // After the start, which occupies the queue until then.
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
        // No memory to wait with: the engine has another attempt.
        isTurning = false
        for transfer in transfers.values {
            multi.remove(transfer)
            transfer.end(throwing: HTTPFailure("libcurl can't wait for answers"))
        }
        transfers = [:]
        closeLater()
    }

    /// Enqueues the next turn after the work that came meanwhile. Doesn't wake the waker, which
    /// would end the next wait.
    private func turnAgain() {
        executor.queue.async { self.assumeIsolated { $0.turn() } }
    }

    /// Closes the connections after an idle time: without turns, a connection that the server has
    /// closed isn't noticed.
    private func closeLater() {
        let wait = DispatchTimeInterval.milliseconds(Int(options.idleTime / .milliseconds(1)))
        executor.queue.asyncAfter(deadline: .now() + wait) { [weak self, begun] in
            self?.assumeIsolated { loop in
                guard loop.begun == begun, loop.transfers.isEmpty else { return }
                loop.multi = nil
            }
        }
    }

    var isOpen: Bool { multi != nil }
}
