import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveServer

@Suite("the crash file")
struct CrashFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("data-crash")
    }

    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func name(_ text: String) throws -> InstanceName {
        try #require(InstanceName(text))
    }

    private func begin(
        _ slot: CrashSlot, _ text: String, run: Int64 = 0, event: String = ""
    ) throws {
        let name = try name(text)
        Array(event.utf8).withUnsafeBytes { slot.begin(name, effectNumber: run, event: $0) }
    }

    @Test func `a step without a signal has no meaning: it was a SIGKILL`()
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
        CrashSlot.record(signal: 4, in: bytes)
        let trap = CrashSlot.read(UnsafeRawBufferPointer(start: bytes, count: CrashSlot.bytes))
        #expect(trap == Trap(name: try name("boom/a"), effectNumber: 3, event: "arm", signal: 4))
        #expect(trap?.reason.contains("SIGILL at event arm, of effect 3") == true)
    }

    @Test func `a signal after the step, or on another thread, doesn't count`() async throws {
        let (bytes, slot) = memory()
        defer { bytes.deallocate() }
        func trap() -> Trap? {
            CrashSlot.read(UnsafeRawBufferPointer(start: bytes, count: CrashSlot.bytes))
        }
        try begin(slot, "boom/a")
        slot.end()
        CrashSlot.record(signal: 4, in: bytes)
        #expect(trap() == nil)
        try begin(slot, "boom/a")
        bytes.storeBytes(of: 1, toByteOffset: CrashSlot.Offset.thread, as: UInt64.self)
        CrashSlot.record(signal: 4, in: bytes)
        #expect(trap() == nil)
    }

    @Test func `the longest name and a long event fit, and garbage is ignored`() throws {
        let (bytes, slot) = memory()
        defer { bytes.deallocate() }
        let long =
            "m" + String(repeating: "x", count: 63) + "/"
            + String(repeating: "y", count: 200)
        let event = #"{"type":"go","text":""# + String(repeating: "é", count: 5_000) + #""}"#
        try begin(slot, long, event: event)
        CrashSlot.record(signal: 5, in: bytes)
        let whole = UnsafeRawBufferPointer(start: bytes, count: CrashSlot.bytes)
        #expect(
            CrashSlot.read(whole)
                == Trap(name: try name(long), effectNumber: 0, event: "go", signal: 5))
        for place in stride(from: 0, to: CrashSlot.bytes - 8, by: 8) {
            let kept = bytes.load(fromByteOffset: place, as: UInt64.self)
            bytes.storeBytes(of: .max, toByteOffset: place, as: UInt64.self)
            _ = CrashSlot.read(whole)
            bytes.storeBytes(of: kept, toByteOffset: place, as: UInt64.self)
        }
    }

    @Test func `a clean stop removes the crash file, unless it has crashes`() throws {
        let file = try CrashFile(path: path)
        #expect(file.start(machines: ["boom": "1"]))
        file.end()
        #expect(!FileManager.default.fileExists(atPath: path))
        let other = try CrashFile(path: path)
        other.log.machines = ["boom": "1"]
        #expect(other.log.add(try name("boom/a"), at: now).count == 1)
        #expect(other.start(machines: ["boom": "1"]))
        other.end()
        var log = try CrashFile(path: path).log
        #expect(log.machines == ["boom": "1"])
        #expect(log.add(try name("boom/a"), at: now).count == 2)
        #expect(log.entries.isEmpty, "it is set aside now")
    }

    @Test func `crashes are counted per instance and version`() throws {
        var log = CrashLog()
        log.machines = ["boom": "1"]
        #expect(log.add(try name("boom/a"), at: now).count == 1)
        #expect(log.add(try name("boom/b"), at: now).count == 1)
        log.machines = ["boom": "2"]
        #expect(log.add(try name("boom/a"), at: now).count == 1)
        #expect(log.add(try name("boom/a"), at: now).count == 2)
        for number in 0..<100 {
            _ = log.add(try name("boom/c\(number)"), at: now)
            _ = log.add(try name("m\(number)/a"), at: now)
        }
        #expect(log.entries.count == CrashLog.entriesMax)
        #expect(log.waves.count == CrashLog.entriesMax)
        #expect(CrashLog.decoded(log.encoded()) == log)
        #expect(CrashLog.decoded([1, 2]) == CrashLog())
    }

    @Test func `the third instance within an hour makes the machine set aside`() throws {
        func log(_ crashes: [(name: String, minutes: Int64)], version: String = "1") throws
            -> [HoldSubject?]
        {
            var log = CrashLog()
            log.machines = ["boom": version, "other": "1"]
            return try crashes.map { crash in
                let time = Timestamp(milliseconds: now.milliseconds + crash.minutes * 60_000)
                return log.add(try name(crash.name), at: time).subject
            }
        }
        let (a, machine) = (HoldSubject.instance(try name("boom/a")), HoldSubject.machine("boom"))
        #expect(
            try log([("boom/a", 0), ("boom/b", 1), ("other/c", 2), ("boom/d", 3)])
                == [nil, nil, nil, machine])
        #expect(
            try log([("boom/a", 0), ("boom/a", 1), ("boom/b", 2), ("boom/c", 3), ("boom/d", 4)])
                == [nil, a, nil, machine, nil], "it begins anew afterwards")
        #expect(
            try log([("boom/a", 0), ("boom/b", 1), ("boom/c", 100), ("boom/d", 200)])
                == [nil, nil, nil, nil], "not within the hour")
        #expect(
            try log([("boom/a", 0), ("boom/a", 1), ("boom/a", 2), ("boom/a", 3)])
                == [nil, a, nil, a], "one instance is one")
    }

    @Test func `a trap of a described machine is recorded per machine and version`() throws {
        let (bytes, slot) = memory()
        defer { bytes.deallocate() }
        let all = try #require(
            "boom/*".utf8.withContiguousStorageIfAvailable {
                InstanceName(inJournal: UnsafeRawBufferPointer($0))
            } ?? nil)
        slot.begin(all, effectNumber: 0, event: UnsafeRawBufferPointer(start: nil, count: 0))
        CrashSlot.record(signal: 4, in: bytes)
        let trap = CrashSlot.read(UnsafeRawBufferPointer(start: bytes, count: CrashSlot.bytes))
        #expect(trap?.name == all && all.meansMachine && all.machine == "boom")
        #expect(try !name("boom/a").meansMachine)
        var log = CrashLog()
        log.machines = ["boom": "1"]
        let verdict = log.add(all, at: now)
        #expect(verdict.isOfDescription && verdict.subject == nil && log.entries.isEmpty)
        log.removeOld(at: now) { $0 == "boom" && $1 == "1" }
        #expect(log.undescribed == ["boom": "1"] && !log.isEmpty)
        log.removeOld(at: now) { $0 == "boom" && $1 == "2" }
        #expect(log.isEmpty)
    }

    @Test func `a wave is removed after an hour, and then the file`() throws {
        var log = CrashLog()
        log.machines = ["boom": "1"]
        _ = log.add(try name("boom/a"), at: now)
        log.removeOld(at: now) { _, _ in true }
        #expect(log.waves.count == 1)
        log.entries = []
        #expect(!log.isEmpty)
        let later = Timestamp(milliseconds: now.milliseconds + 3_600_001)
        log.removeOld(at: later) { _, _ in true }
        #expect(log.isEmpty)
    }

    @Test func `a hold that couldn't be written keeps its count`() throws {
        var log = CrashLog()
        log.machines = ["boom": "1"]
        let name = try name("boom/a")
        _ = log.add(name, at: now)
        let verdict = log.add(name, at: now)
        #expect(verdict.subject == .instance(name))
        log.keep(name, verdict)
        #expect(log.add(name, at: now).subject == .instance(name))
    }

    private func memory() -> (UnsafeMutableRawPointer, CrashSlot) {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: CrashSlot.bytes, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: CrashSlot.bytes)
        return (bytes, CrashSlot(bytes))
    }
}
