import OrderedJSON
import Synchronization
import Transducers

@testable import GroveEngine

/// Creates the dispatches of the tests.
enum Issues {
    static func issue(
        _ handler: String, run: Int64 = 1, argument: JSONValue = .null, attempt: Int = 1,
        delivered: Int = 0, timeout: Duration? = nil
    ) throws -> EffectDispatch {
        guard let owner = InstanceName("order/7") else { throw NoName() }
        return EffectDispatch(
            ref: ref(run), owner: owner, handler: handler, argument: argument, attempt: attempt,
            delivered: delivered, timeout: timeout.map { Int64($0 / .milliseconds(1)) },
            key: "key-\(run)")
    }

    static func ref(_ run: Int64) -> EffectRef {
        EffectRef(instance: InstanceNumber(7), number: run)
    }

    struct NoName: Error {}
}

/// Receives a runner's reports and keeps them until they are read.
struct Reports: ~Copyable {
    let put: @Sendable ([EffectReport]) -> Void
    private var iterator: AsyncStream<EffectReport>.Iterator

    init() {
        let (stream, continuation) = AsyncStream<EffectReport>.makeStream()
        put = { reports in
            for report in reports { continuation.yield(report) }
        }
        iterator = stream.makeAsyncIterator()
    }

    /// Waits for the next report and returns it.
    mutating func next() async throws -> EffectReport {
        guard let report = await iterator.next(isolation: #isolation) else {
            throw CancellationError()
        }
        return report
    }

    /// Waits for the next report and returns it as text.
    mutating func nextText() async throws -> String { try await next().text }
}

extension EffectReport {
    /// A short form of the report: `1/1 completed 5` is effect 1, attempt 1.
    var text: String {
        let what =
            switch outcome {
            case .emitted(let value, let number): "emitted \(value) as \(number)"
            case .completed(let value): "completed \(value)"
            case .failed(let reason, false): "failed: \(reason)"
            case .failed(let reason, true): "failed for good: \(reason)"
            case .cancelled: "cancelled"
            }
        return "\(ref.number)/\(attempt) \(what)"
    }
}

/// Resumes all waiting tasks when it is opened, even if they were canceled meanwhile.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}

/// Waits until its task is canceled.
func untilCancelled() async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    continuation.finish()
    try Task.checkCancellation()
}

/// A counter that many tasks share.
final class Count: Sendable {
    private let value = Atomic(0)

    var now: Int { value.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add() -> Int { value.add(1, ordering: .sequentiallyConsistent).newValue }
}
