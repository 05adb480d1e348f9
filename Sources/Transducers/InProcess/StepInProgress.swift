import Synchronization

/// A step whose callback or action is awaited. Code in it can't wait for the step's machine, nor
/// for one that waits for it: it would wait for itself.
final class StepInProgress: Sendable {
    /// The innermost step in which the present task was started.
    @TaskLocal static var current: StepInProgress?

    private let machine: ObjectIdentifier
    /// The step in which this step's machine was started.
    private let outer: StepInProgress?
    private let isOver = Atomic(false)

    private init(machine: ObjectIdentifier, outer: StepInProgress?) {
        self.machine = machine
        self.outer = outer
    }

    /// The innermost step around it that is still in progress: tasks may outlive their steps.
    private var live: StepInProgress? { isOver.load(ordering: .acquiring) ? outer?.live : self }

    /// The machines that wait for the present task.
    private static var machines: [ObjectIdentifier] {
        var machines: [ObjectIdentifier] = []
        var step = current?.live
        while let one = step {
            machines.append(one.machine)
            step = one.outer?.live
        }
        return machines
    }

    /// Runs `body` as part of the step of the machine with this inbox.
    static func run<Event>(
        of channel: EventChannel<Event>, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Void
    ) async throws {
        let step = StepInProgress(machine: channel.inboxID, outer: current?.live)
        defer { step.isOver.store(true, ordering: .releasing) }
        try await $current.withValue(step, operation: body, isolation: isolation)
    }

    /// Waits for a machine, unless the wait couldn't end.
    ///
    /// - Returns: Whether `wait` was called.
    static func wait(
        for machine: ObjectIdentifier, _ wait: () async -> Void
    ) async -> Bool {
        let waiting = machines
        if waiting.isEmpty {
            await wait()
            return true
        }
        guard enter(waiting, for: machine) else { return false }
        await wait()
        leave(waiting, for: machine)
        return true
    }

    // MARK: The graph of waits

    /// The machines that each machine waits for, of those that wait in a step.
    private static let targets = Locked<[ObjectIdentifier: [ObjectIdentifier]]>([:])

    /// - Returns: `false`, and nothing has changed, if the wait would close a circle.
    private static func enter(_ machines: [ObjectIdentifier], for target: ObjectIdentifier) -> Bool
    {
        targets.withLock { targets in
            var seen: Set<ObjectIdentifier> = []
            var next = [target]
            while let machine = next.popLast() {
                if machines.contains(machine) { return false }
                if seen.insert(machine).inserted { next += targets[machine] ?? [] }
            }
            for machine in machines { targets[machine, default: []].append(target) }
            return true
        }
    }

    private static func leave(_ machines: [ObjectIdentifier], for target: ObjectIdentifier) {
        targets.withLock { targets in
            for machine in machines {
                guard let index = targets[machine]?.firstIndex(of: target) else { continue }
                targets[machine]?.remove(at: index)
                if targets[machine]?.isEmpty == true { targets[machine] = nil }
            }
        }
    }
}
