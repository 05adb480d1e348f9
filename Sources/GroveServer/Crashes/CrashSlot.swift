import Glibc
import GroveEngine

/// A place in a mapped page in which one queue notes for whom code of a machine runs. What stands
/// there outlives the process, however that ends. Confined to its queue; only the handler of
/// signals writes into it from elsewhere, and only the signal.
// Unchecked: confined to one queue, but for the word that a handler of signals writes.
final class CrashSlot: StepWitness, @unchecked Sendable {
    /// Bytes of a slot.
    static let bytes = 1_024
    /// Bytes of an event that are noted: its name stands at its begin.
    static let eventBytesMax = 256

    /// Where what stands, in bytes from the slot's begin.
    enum Place {
        static let isActive = 0
        static let thread = 8
        static let signal = 16
        static let run = 24
        static let nameCount = 32
        static let eventCount = 40
        static let name = 64
        static let event = 512
    }

    private let memory: UnsafeMutableRawPointer
    private var thread: pthread_t = 0

    /// - Parameter memory: ``bytes`` bytes that outlive the slot.
    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    /// Notes for whom code runs.
    func begin(_ name: InstanceName, run: Int64, event: UnsafeRawBufferPointer) {
        let present = pthread_self()
        if present != thread {
            thread = present
            SignalStack.provide()
            memory.storeBytes(of: UInt64(present), toByteOffset: Place.thread, as: UInt64.self)
        }
        memory.storeBytes(of: 0, toByteOffset: Place.isActive, as: UInt64.self)
        var text = name.text
        let count = text.withUTF8 { bytes in
            let count = min(bytes.count, Place.event - Place.name)
            if let base = bytes.baseAddress { memcpy(memory + Place.name, base, count) }
            return count
        }
        let eventCount = min(event.count, Self.eventBytesMax)
        if let base = event.baseAddress { memcpy(memory + Place.event, base, eventCount) }
        memory.storeBytes(of: run, toByteOffset: Place.run, as: Int64.self)
        memory.storeBytes(of: UInt64(count), toByteOffset: Place.nameCount, as: UInt64.self)
        memory.storeBytes(of: UInt64(eventCount), toByteOffset: Place.eventCount, as: UInt64.self)
        memory.storeBytes(of: 1, toByteOffset: Place.isActive, as: UInt64.self)
    }

    /// Notes that none runs.
    func end() { memory.storeBytes(of: 0, toByteOffset: Place.isActive, as: UInt64.self) }

    /// Notes a signal, if the code that is noted runs on the present thread. Called by the handler
    /// of signals: it allocates nothing and takes no lock.
    static func note(signal number: Int32, in memory: UnsafeMutableRawPointer) {
        let isActive = memory.load(fromByteOffset: Place.isActive, as: UInt64.self) == 1
        let thread = memory.load(fromByteOffset: Place.thread, as: UInt64.self)
        guard isActive, thread == UInt64(pthread_self()) else { return }
        memory.storeBytes(of: Int64(number), toByteOffset: Place.signal, as: Int64.self)
    }

    /// What a slot says of the run that left it; `nil` when that didn't end in a trap there, or it
    /// is none.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Trap? {
        func number(_ place: Int) -> Int64 {
            bytes.loadUnaligned(fromByteOffset: place, as: Int64.self)
        }
        let (nameCount, eventCount) = (number(Place.nameCount), number(Place.eventCount))
        let signal = number(Place.signal)
        guard number(Place.isActive) == 1, (1...64).contains(signal),
            (1...Int64(Place.event - Place.name)).contains(nameCount),
            (0...Int64(eventBytesMax)).contains(eventCount)
        else { return nil }
        let nameEnd = Place.name + Int(nameCount)
        let text = UnsafeRawBufferPointer(rebasing: bytes[Place.name..<nameEnd])
        guard let name = InstanceName(inJournal: text) else { return nil }
        let eventEnd = Place.event + Int(eventCount)
        return Trap(
            name: name, run: max(0, number(Place.run)),
            event: eventName(Array(bytes[Place.event..<eventEnd])), signal: Int32(signal))
    }

    /// The name of an event of which only the begin may be there.
    static func eventName(_ json: [UInt8]) -> String? {
        let text = String(decoding: json, as: UTF8.self)
        let name: Substring?
        if text.hasPrefix("\"") {
            name = text.dropFirst().split(separator: "\"", maxSplits: 1).first
        } else {
            let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
            let place = parts.firstIndex(of: "type").map { $0 + 2 }
            name = place.flatMap { $0 < parts.count ? parts[$0] : nil }
        }
        guard let name, !name.isEmpty, name.utf8.count <= 100 else { return nil }
        return String(name)
    }
}
