import Testing

@testable import TransducerTesting

@Suite("WakeUp")
struct WakeUpTests {
    let wakeUp = WakeUp()

    @Test func `ringing ends the wait`() async {
        let task = Task { [wakeUp] in await wakeUp.wait() }
        wakeUp.wake()
        wakeUp.wake()
        await task.value
    }

    @Test func `who rings before keeps from waiting`() async {
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
