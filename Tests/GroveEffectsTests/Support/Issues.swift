import OrderedJSON
import Synchronization
import Transducers

@testable import GroveEngine

/// The subjects of the tests' issues.
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

/// The receiver of a runner's reports: keeps them until they are read.
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

    /// The next report; waits for it.
    mutating func next() async throws -> EffectReport {
        guard let report = await iterator.next(isolation: #isolation) else {
            throw CancellationError()
        }
        return report
    }

    /// The next report as text.
    mutating func nextText() async throws -> String { try await next().text }
}

extension EffectReport {
    /// The report in short: `1/1 completed 5` is run 1, attempt 1.
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

/// Releases one or many waiters when it is opened, even if they were cancelled meanwhile.
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

/// Waits until its task is cancelled.
func untilCancelled() async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    continuation.finish()
    try Task.checkCancellation()
}

/// A count that many tasks share.
final class Count: Sendable {
    private let value = Atomic(0)

    var now: Int { value.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add() -> Int { value.add(1, ordering: .sequentiallyConsistent).newValue }
}
