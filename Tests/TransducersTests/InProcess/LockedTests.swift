import Testing
import Transducers

@Suite("Locked")
struct LockedTests {
    @Test func `bodies of many tasks run one after the other`() async {
        let sum = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 { sum.withLock { $0 += 1 } }
                }
            }
        }
        #expect(sum.withLock { $0 } == 8_000)
    }

    @Test func `a body that throws releases the lock`() {
        struct Oops: Error {}
        let value = Locked(1)
        #expect(throws: Oops.self) { try value.withLock { _ in throw Oops() } }
        #expect(value.withLock { $0 } == 1)
    }
}
