import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveServer

@Suite("what outlives a trap")
struct CrashFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("data-crash")
    }

    private func name(_ text: String) throws -> InstanceName {
        try #require(InstanceName(text))
    }

    private func begin(
        _ slot: CrashSlot, _ text: String, run: Int64 = 0, event: String = ""
    ) throws {
        let name = try name(text)
        Array(event.utf8).withUnsafeBytes { slot.begin(name, run: run, event: $0) }
    }

    @Test func `a step that was under way without a signal says nothing: it was a SIGKILL`()
        throws
    {
        let file = try CrashFile(path: path)
        try begin(file.engine, "boom/a", event: #""tick""#)
        #expect(try CrashFile(path: path).traps.isEmpty)
    }

    @Test func `a signal in a step names the instance, the event and the effect`() throws {
        let (bytes, slot) = memory()
        defer { bytes.deallocate() }
        try begin(slot, "boom/a", run: 3, event: #"{"seconds":2,"type":"arm"}"#)
        CrashSlot.note(signal: 4, in: bytes)
        let trap = CrashSlot.read(UnsafeRawBufferPointer(start: bytes, count: CrashSlot.bytes))
        #expect(trap == Trap(name: try name("boom/a"), run: 3, event: "arm", signal: 4))
        #expect(trap?.reason.contains("SIGILL at event arm, of effect 3") == true)
    }

    @Test func `a signal after the step, or on another thread, is none of it`() async throws {
        let (bytes, slot) = memory()
        defer { bytes.deallocate() }
        func trap() -> Trap? {
            CrashSlot.read(UnsafeRawBufferPointer(start: bytes, count: CrashSlot.bytes))
        }
        try begin(slot, "boom/a")
        slot.end()
        CrashSlot.note(signal: 4, in: bytes)
        #expect(trap() == nil)
        try begin(slot, "boom/a")
        bytes.storeBytes(of: 1, toByteOffset: CrashSlot.Place.thread, as: UInt64.self)
        CrashSlot.note(signal: 4, in: bytes)
        #expect(trap() == nil)
    }

    @Test func `the longest name and a long event fit, and garbage is nothing`() throws {
        let (bytes, slot) = memory()
        defer { bytes.deallocate() }
        let long =
            "m" + String(repeating: "x", count: 63) + "/"
            + String(repeating: "y", count: 200)
        let event = #"{"type":"go","text":""# + String(repeating: "é", count: 5_000) + #""}"#
        try begin(slot, long, event: event)
        CrashSlot.note(signal: 5, in: bytes)
        let whole = UnsafeRawBufferPointer(start: bytes, count: CrashSlot.bytes)
        #expect(CrashSlot.read(whole) == Trap(name: try name(long), run: 0, event: "go", signal: 5))
        for place in stride(from: 0, to: CrashSlot.bytes - 8, by: 8) {
            let kept = bytes.load(fromByteOffset: place, as: UInt64.self)
            bytes.storeBytes(of: .max, toByteOffset: place, as: UInt64.self)
            _ = CrashSlot.read(whole)
            bytes.storeBytes(of: kept, toByteOffset: place, as: UInt64.self)
        }
    }

    @Test func `goes with a clean stop, unless it still knows of crashes`() throws {
        let file = try CrashFile(path: path)
        file.begin(machines: ["boom": "1"])
        file.end()
        #expect(!FileManager.default.fileExists(atPath: path))
        let other = try CrashFile(path: path)
        other.log.machines = ["boom": "1"]
        #expect(other.log.add(try name("boom/a")).count == 1)
        other.begin(machines: ["boom": "1"])
        other.end()
        var log = try CrashFile(path: path).log
        #expect(log.machines == ["boom": "1"])
        #expect(log.add(try name("boom/a")).count == 2)
        #expect(log.entries.isEmpty, "it is set aside now")
    }

    @Test func `crashes count for each instance and version alone`() throws {
        var log = CrashLog()
        log.machines = ["boom": "1"]
        #expect(log.add(try name("boom/a")).count == 1)
        #expect(log.add(try name("boom/b")).count == 1)
        log.machines = ["boom": "2"]
        #expect(log.add(try name("boom/a")).count == 1)
        #expect(log.add(try name("boom/a")).count == 2)
        for number in 0..<100 { _ = log.add(try name("boom/c\(number)")) }
        #expect(log.entries.count == CrashLog.entriesMax)
        #expect(CrashLog.decoded(log.encoded()) == log)
        #expect(CrashLog.decoded([1, 2]) == CrashLog())
    }

    private func memory() -> (UnsafeMutableRawPointer, CrashSlot) {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: CrashSlot.bytes, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: CrashSlot.bytes)
        return (bytes, CrashSlot(bytes))
    }
}
