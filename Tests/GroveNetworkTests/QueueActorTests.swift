import Dispatch
import Synchronization
import Testing

@testable import GroveNetwork

@Suite("QueueActor", .timeLimit(.minutes(1)))
struct QueueActorTests {
    private actor Recorder: QueueActor {
        nonisolated let executor = QueueExecutor(label: "test.recorder")
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        var numbers: [Int] = []

        func record(_ number: Int) { numbers.append(number) }
    }

    @Test func `ten thousand posts arrive in the order of the calls`() async {
        let recorder = Recorder()
        for number in 0..<10_000 { recorder.post { $0.record(number) } }
        #expect(await recorder.numbers == Array(0..<10_000))
    }

    @Test func `an awaited call runs after earlier posts`() async {
        let recorder = Recorder()
        for number in 0..<100 {
            recorder.post { $0.record(number) }
            #expect(await recorder.numbers.count == number + 1)
        }
    }

    @Test func `every block added to the queue wakes the actor`() async {
        let wakes = Atomic(0)
        let executor = QueueExecutor(label: "test.wakes") {
            wakes.add(1, ordering: .relaxed)
        }
        let waking = Waking(executor)
        waking.post { _ in }
        #expect(wakes.load(ordering: .relaxed) == 1)
        await waking.touch()
        // The job may end before its wake is counted.
        while wakes.load(ordering: .relaxed) < 2 { await Task.yield() }
    }

    private actor Waking: QueueActor {
        nonisolated let executor: QueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        init(_ executor: QueueExecutor) { self.executor = executor }

        func touch() {}
    }

    @Test func `an actor and its executor may be released after the last job`() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<2_000 { await Recorder().record(number) }
                }
            }
        }
    }

    @Test func `code on the queue is inside the actor`() {
        let recorder = Recorder()
        recorder.executor.queue.sync {
            recorder.assumeIsolated { $0.record(1) }
        }
    }

    @Test func `code elsewhere that claims to be inside stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let executor = QueueExecutor(label: "test.claim")
            executor.checkIsolated()
        }
    }
}
