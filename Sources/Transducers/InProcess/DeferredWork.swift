/// The work of a machine's owner after a call of the machine: user code, which may call the machine
/// again. Confined to the owner, like the machine.
@usableFromInline
final class DeferredWork<Machine: BaseTransducer>
where Machine.Output: Sendable {
    /// A part of the work, done when no call of the machine runs.
    @usableFromInline
    enum Part {
        /// Cancels tasks, whose cancellation handlers run in this call, and releases closures.
        case clear([Task<Void, Never>], leftovers: [AnyObject])
        /// Delivers these, in this order.
        case deliver(
            [TraceRecord<Machine>], to: ((TraceRecord<Machine>) -> Void)?,
            outputs: [Machine.Output], completion: (() -> Void)?)

        var isDelivery: Bool { if case .deliver = self { true } else { false } }

        /// Performs it; outputs go to `output`.
        consuming func perform(_ output: ((Machine.Output) -> Void)?) {
            switch self {
            case .clear(let tasks, _):
                for task in tasks { task.cancel() }
            case .deliver(let records, let trace, let outputs, let completion):
                for record in records { trace?(record) }
                for value in outputs { output?(value) }
                completion?()
            }
        }
    }

    /// Records for the trace, in order.
    private(set) var records: [TraceRecord<Machine>] = []
    private var cancelled: [Task<Void, Never>] = []
    /// To be released: deallocation of closures may run user code.
    private var leftovers: [AnyObject] = []
    /// Starts of tasks, in order.
    private var starts: [() -> Void] = []

    func add(_ record: TraceRecord<Machine>) { records.append(record) }

    func cancel(_ task: Task<Void, Never>) { cancelled.append(task) }

    func release(_ object: AnyObject) { leftovers.append(object) }

    /// Starts a task when the outputs so far have been delivered. `body` is called within a call of
    /// the machine.
    func start(_ body: @escaping () -> Void) { starts.append(body) }

    func takeStarts() -> [() -> Void] {
        defer { starts.removeAll() }
        return starts
    }

    func takeRecords() -> [TraceRecord<Machine>] {
        defer { records.removeAll() }
        return records
    }

    func takeClearing() -> Part? {
        guard !cancelled.isEmpty || !leftovers.isEmpty else { return nil }
        defer {
            cancelled.removeAll()
            leftovers.removeAll()
        }
        return .clear(cancelled, leftovers: leftovers)
    }
}
