/// What a host does when nobody is in its machine any more: code of others that may come back to
/// the machine. Confined to the host, like the machine.
final class HostErrands<Machine: BaseTransducer> {
    /// What the trace is to be told, in order.
    private(set) var records: [TraceRecord<Machine>] = []
    /// Tasks to cancel: their cancellation handlers run in the call that cancels them.
    private var cancelled: [Task<Void, Never>] = []
    /// To be let go of: what closures hold may notice that it isn't held any more.
    private var leftovers: [AnyObject] = []

    func tell(_ record: TraceRecord<Machine>) { records.append(record) }

    func cancel(_ task: Task<Void, Never>) { cancelled.append(task) }

    func letGo(of object: AnyObject) { leftovers.append(object) }

    func takeRecords() -> [TraceRecord<Machine>] {
        defer { records.removeAll() }
        return records
    }

    /// What ends tasks and lets go of closures, if there is any of them.
    func takeClearing() -> Clearing? {
        guard !cancelled.isEmpty || !leftovers.isEmpty else { return nil }
        defer {
            cancelled.removeAll()
            leftovers.removeAll()
        }
        return Clearing(cancelled: cancelled, leftovers: leftovers)
    }

    /// Tasks that are to be cancelled, and closures that are not needed any more.
    struct Clearing {
        fileprivate let cancelled: [Task<Void, Never>]
        fileprivate let leftovers: [AnyObject]

        /// Cancels the tasks; the closures go with the value.
        consuming func perform() {
            for task in cancelled { task.cancel() }
        }
    }
}
