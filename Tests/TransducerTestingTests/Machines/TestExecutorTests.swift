import Testing
import Transducers

@testable import TransducerTesting

@Suite("TestExecutor")
struct TestExecutorTests {
    let executor = TestExecutor()

    /// The events in order. The actor has no custom executor.
    actor Log {
        private(set) var lines: [String] = []
        func append(_ line: String) { lines.append(line) }
    }

    /// Runs three tasks that each call an actor twice.
    func race(_ priorities: [TaskPriority]) async -> [String] {
        let log = Log()
        // Started on the executor, so that no task is there before the others.
        Task(executorPreference: executor) { [executor] in
            for (name, priority) in zip(["a", "b", "c"], priorities) {
                Task(executorPreference: executor, priority: priority) {
                    await log.append("\(name)1")
                    await Task.yield()
                    await log.append("\(name)2")
                }
            }
        }
        #expect(await executor.rested(within: .seconds(60)))
        return await log.lines
    }

    @Test func `jobs run in the order in which they became ready, actors included`() async {
        for _ in 1...50 {
            let lines = await race([.medium, .medium, .medium])
            #expect(lines == ["a1", "b1", "c1", "a2", "b2", "c2"])
        }
    }

    @Test func `actors choose by priority, in every run alike`() async {
        let first = await race([.low, .medium, .high])
        #expect(first.sorted() == ["a1", "a2", "b1", "b2", "c1", "c2"])
        for _ in 1...50 {
            let lines = await race([.low, .medium, .high])
            #expect(lines == first)
        }
    }

    @Test func `without work the executor is idle at once`() async {
        #expect(await executor.rested(within: .zero))
        #expect(executor.restCount == 0)
    }

    @Test func `endless work is waited for up to the limit`() async {
        let task = Task(executorPreference: executor) {
            while !Task.isCancelled { await Task.yield() }
        }
        #expect(await !executor.rested(within: .zero))
        task.cancel()
        #expect(await executor.rested(within: .seconds(60)))
    }

    @Test func `new work is waited for`() async {
        Task(executorPreference: executor) {}
        #expect(await executor.rested(within: .seconds(60)))
        let count = executor.restCount
        #expect(await !executor.rested(after: count, within: .zero))
        Task(executorPreference: executor) {}
        #expect(await executor.rested(after: count, within: .seconds(60)))
        #expect(executor.restCount > count)
    }

    @Test func `a machine that works without end is reported`() async {
        enum Restless: EffectTransducer {
            enum State: NonTerminal, Equatable { case calm }
            enum Event: Sendable { case work }
            static func update(_ state: inout State, event: Event) -> Effect? {
                .fireAndForget(id: "work") { _, _ in
                    while !Task.isCancelled { await Task.yield() }
                }
            }
        }
        let recorder = FailureRecorder()
        let restless = TestTransducer<Restless>(
            initialState: .calm, reporter: recorder.reporter)
        await restless.waitUntilIdle(at: #_sourceLocation)
        restless.workMax = .zero
        restless.timeout = .zero
        do { try restless.enqueue(.work) } catch { Issue.record(error) }
        await restless.waitUntilIdle(at: #_sourceLocation)
        recorder.expect(
            "The machine and its effects haven't come to rest within 0.0 seconds: something works "
                + "without end, or without waiting.")
        await restless.skipEffects()
        restless.exhaustivity = .off
    }
}
