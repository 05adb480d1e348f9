import Dispatch
import Testing

@testable import GroveServer

@Suite("QueueActor")
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

    @Test func `what is awaited comes after what was posted before`() async {
        let recorder = Recorder()
        for number in 0..<100 {
            recorder.post { $0.record(number) }
            #expect(await recorder.numbers.count == number + 1)
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
