import Testing
import Transducers

@Suite("runParallel")
struct RunParallelTests {
    struct Oops: Error, Equatable {}

    /// Something to wait for, once.
    struct Signal: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream() }

        func set() { continuation.finish() }
        func wait() async { for await _ in stream {} }
    }

    static func count(_ proxy: Parts.Count.Proxy) async throws -> Int {
        try await Parts.Count.run(initialState: .init(), proxy: proxy)
    }

    @Test func `with all, both results come`() async throws {
        let first = Parts.Count.Proxy(initialEvent: .add(3))
        let second = Parts.Count.Proxy(initialEvent: .add(4))
        let result = try await runParallel(.all) {
            try await Self.count(first)
        } second: {
            try await Self.count(second)
        }
        #expect(result.first == 3)
        #expect(result.second == 4)
    }

    @Test(arguments: [ParallelTermination.any, .first])
    func `the end of the first cancels the second, and waits for it`(
        termination: ParallelTermination
    ) async throws {
        let log = Parts.Outputs<String>()
        let second = Parts.Count.Proxy()
        let result = try await runParallel(termination) {
            try await Self.count(Parts.Count.Proxy(initialEvent: .add(3)))
        } second: {
            do {
                return try await Self.count(second)
            } catch {
                await log.append("stopped: \(error is CancellationError)")
                throw error
            }
        }
        #expect(result.first == 3)
        #expect(result.second == nil)
        #expect(await log.values == ["stopped: true"])
        #expect(throws: TransducerError.ended) { try second.send(.add(1)) }
    }

    @Test func `with second, the first may end earlier`() async throws {
        let isFirstDone = Signal()
        let result = try await runParallel(.second) {
            defer { isFirstDone.set() }
            return try await Self.count(Parts.Count.Proxy(initialEvent: .add(3)))
        } second: {
            await isFirstDone.wait()
            return try await Self.count(Parts.Count.Proxy(initialEvent: .add(5)))
        }
        #expect(result.first == 3)
        #expect(result.second == 5)
    }

    @Test(arguments: [ParallelTermination.any, .all, .first, .second])
    func `if one side fails, the other is stopped and awaited`(
        termination: ParallelTermination
    ) async throws {
        let log = Parts.Outputs<String>()
        let isRunning = Signal()
        await #expect(throws: Oops()) {
            try await runParallel(termination) { () -> Int in
                await isRunning.wait()
                throw Oops()
            } second: { () -> Int in
                isRunning.set()
                do {
                    return try await Self.count(Parts.Count.Proxy())
                } catch {
                    await log.append("stopped")
                    throw error
                }
            }
        }
        #expect(await log.values == ["stopped"])
    }

    @Test func `a machine that is cancelled by its proxy stops the other`() async throws {
        let first = Parts.Count.Proxy()
        let second = Parts.Count.Proxy()
        first.cancel(with: Oops())
        await #expect(throws: Oops()) {
            try await runParallel {
                try await Self.count(first)
            } second: {
                try await Self.count(second)
            }
        }
        #expect(throws: TransducerError.ended) { try second.send(.add(1)) }
    }

    @Test func `cancelling the caller cancels both`() async throws {
        let proxies = [Parts.Count.Proxy(), Parts.Count.Proxy()]
        let run = Task {
            try await runParallel {
                try await Self.count(proxies[0])
            } second: {
                try await Self.count(proxies[1])
            }
        }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        for proxy in proxies {
            #expect(throws: TransducerError.ended) { try proxy.send(.add(1)) }
        }
    }
}
