import Glibc
import GroveEngine

/// A part of a mapped page in which one queue records the instance whose code runs. It survives the
/// process, however that ends. Confined to its queue; only the signal handler writes into it from
/// elsewhere, and only the signal.
final class CrashSlot: StepWitness, Sendable {
    static let bytes = 1_024

    /// The layout, in bytes from the slot's beginning.
    enum Offset {
        static let isActive = 0
        static let thread = 8
        static let signal = 16
        static let effectNumber = 24
        static let nameCount = 32
        static let eventCount = 40
        static let name = 64
        static let event = 512
    }

    private let shared: SignalMemory<UInt8>
    private var memory: UnsafeMutableRawPointer { UnsafeMutableRawPointer(shared.base) }

    /// - Parameter memory: ``bytes`` bytes that outlive the slot, all zero.
    init(_ memory: UnsafeMutableRawPointer) {
        shared = SignalMemory(base: memory.assumingMemoryBound(to: UInt8.self))
    }

    /// Records the instance whose code runs.
    func begin(_ name: InstanceName, effectNumber: Int64, event: UnsafeRawBufferPointer) {
        let memory = memory
        let thread = UInt64(pthread_self())
        if thread != memory.load(fromByteOffset: Offset.thread, as: UInt64.self) {
            SignalStack.provide()
            memory.storeBytes(of: thread, toByteOffset: Offset.thread, as: UInt64.self)
        }
        memory.storeBytes(of: 0, toByteOffset: Offset.isActive, as: UInt64.self)
        var text = name.text
        let count = text.withUTF8 { bytes in
            let count = min(bytes.count, Offset.event - Offset.name)
            if let base = bytes.baseAddress { memcpy(memory + Offset.name, base, count) }
            return count
        }
        let eventCount = min(event.count, Self.eventBytesMax)
        if let base = event.baseAddress { memcpy(memory + Offset.event, base, eventCount) }
        memory.storeBytes(of: effectNumber, toByteOffset: Offset.effectNumber, as: Int64.self)
        memory.storeBytes(of: UInt64(count), toByteOffset: Offset.nameCount, as: UInt64.self)
        memory.storeBytes(of: UInt64(eventCount), toByteOffset: Offset.eventCount, as: UInt64.self)
        memory.storeBytes(of: 1, toByteOffset: Offset.isActive, as: UInt64.self)
    }

    /// Records that no code runs.
    func end() { memory.storeBytes(of: 0, toByteOffset: Offset.isActive, as: UInt64.self) }

    /// Records a signal, if the recorded code runs on the present thread. Called by the signal
    /// handler: it allocates nothing and takes no lock.
    static func record(signal number: Int32, in memory: UnsafeMutableRawPointer) {
        let isActive = memory.load(fromByteOffset: Offset.isActive, as: UInt64.self) == 1
        let thread = memory.load(fromByteOffset: Offset.thread, as: UInt64.self)
        guard isActive, thread == UInt64(pthread_self()) else { return }
        memory.storeBytes(of: Int64(number), toByteOffset: Offset.signal, as: Int64.self)
    }

    /// The trap in a slot of the last run; `nil` when its code didn't trap, or it is no slot.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Trap? {
        func number(_ offset: Int) -> Int64 {
            bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)
        }
        let (nameCount, eventCount) = (number(Offset.nameCount), number(Offset.eventCount))
        let signal = number(Offset.signal)
        guard number(Offset.isActive) == 1, (1...64).contains(signal),
            (1...Int64(Offset.event - Offset.name)).contains(nameCount),
            (0...Int64(eventBytesMax)).contains(eventCount)
        else { return nil }
        let nameEnd = Offset.name + Int(nameCount)
        let text = UnsafeRawBufferPointer(rebasing: bytes[Offset.name..<nameEnd])
        guard let name = InstanceName(inJournal: text) else { return nil }
        let eventEnd = Offset.event + Int(eventCount)
        return Trap(
            name: name, effectNumber: max(0, number(Offset.effectNumber)),
            event: eventName(Array(bytes[Offset.event..<eventEnd])), signal: Int32(signal))
    }

    /// The name of an event whose text may be cut.
    static func eventName(_ json: [UInt8]) -> String? {
        let text = String(decoding: json, as: UTF8.self)
        let name: Substring?
        if text.hasPrefix("\"") {
            name = text.dropFirst().split(separator: "\"", maxSplits: 1).first
        } else {
            let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
            let index = parts.firstIndex(of: "type").map { $0 + 2 }
            name = index.flatMap { $0 < parts.count ? parts[$0] : nil }
        }
        guard let name, !name.isEmpty, name.utf8.count <= 100 else { return nil }
        return String(name)
    }
}
