import Foundation
import Testing

@testable import GroveBench

@Suite("Readiness")
struct ReadinessTests {
    @Test func `a slot has an event when its pipe can be read`() throws {
        let readiness = Readiness(count: 2)
        let pipe = Pipe()
        readiness.watch(pipe.fileHandleForReading.fileDescriptor, at: 1, writable: false)
        var count = readiness.wait(nanoseconds: 0)
        var event = readiness.event(at: 1)
        #expect(count == 0 && event?.isReadable == nil)
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        count = readiness.wait(nanoseconds: 10_000_000_000)
        event = readiness.event(at: 1)
        #expect(count == 1 && event?.isReadable == true && event?.isWritable == false)
        event = readiness.event(at: 0)
        #expect(event?.isReadable == nil)
        readiness.watch(-1, at: 1, writable: false)
        count = readiness.wait(nanoseconds: 0)
        #expect(count == 0)
    }
}
