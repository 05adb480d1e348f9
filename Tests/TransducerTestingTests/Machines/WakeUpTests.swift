import Testing

@testable import TransducerTesting

@Suite("WakeUp")
struct WakeUpTests {
    let wakeUp = WakeUp()

    @Test func `a wake-up ends the wait`() async {
        let task = Task { [wakeUp] in await wakeUp.wait() }
        wakeUp.wake()
        wakeUp.wake()
        await task.value
    }

    @Test func `an earlier wake-up prevents the wait`() async {
        wakeUp.wake()
        await wakeUp.wait()
    }

    @Test func `cancelling the task ends the wait`() async {
        let task = Task { [wakeUp] in
            await wakeUp.wait()
            return Task.isCancelled
        }
        task.cancel()
        #expect(await task.value)
    }
}
