/// What the owner of a machine does after a call of it: code of others, which may call the machine
/// again. Confined to the owner, like the machine.
@usableFromInline
final class DeferredWork<Machine: BaseTransducer>
where Machine.Output: Sendable {
    /// One thing to do, when no call of the machine is under way.
    @usableFromInline
    enum Part {
        case clear(Clearing)
        case deliver(Delivery)

        var isDelivery: Bool { if case .deliver = self { true } else { false } }

        /// Does it, but for the outputs, which go to `output`.
        consuming func perform(_ output: ((Machine.Output) -> Void)?) {
            switch self {
            case .clear(let clearing):
                for task in clearing.cancelled { task.cancel() }
            case .deliver(let delivery):
                for record in delivery.records { delivery.trace?(record) }
                for value in delivery.outputs { output?(value) }
                delivery.completion?()
            }
        }
    }

    /// Tasks that are to be cancelled, and closures that are released with the value.
    @usableFromInline
    struct Clearing {
        /// Their cancellation handlers run in the call that cancels them.
        let cancelled: [Task<Void, Never>]
        let leftovers: [AnyObject]
    }

    /// What is to be told, in this order.
    @usableFromInline
    struct Delivery {
        let trace: ((TraceRecord<Machine>) -> Void)?
        let records: [TraceRecord<Machine>]
        let outputs: [Machine.Output]
        var completion: (() -> Void)?
    }

    /// Records for the trace, in order.
    private(set) var records: [TraceRecord<Machine>] = []
    private var cancelled: [Task<Void, Never>] = []
    /// To be released: closures may notice that nobody holds them any more.
    private var leftovers: [AnyObject] = []

    func add(_ record: TraceRecord<Machine>) { records.append(record) }

    func cancel(_ task: Task<Void, Never>) { cancelled.append(task) }

    func letGo(of object: AnyObject) { leftovers.append(object) }

    func takeRecords() -> [TraceRecord<Machine>] {
        defer { records.removeAll() }
        return records
    }

    func takeClearing() -> Clearing? {
        guard !cancelled.isEmpty || !leftovers.isEmpty else { return nil }
        defer {
            cancelled.removeAll()
            leftovers.removeAll()
        }
        return Clearing(cancelled: cancelled, leftovers: leftovers)
    }
}
