import Glibc
import GroveClient
import OrderedJSON

/// One connection of a benchmark: a fixed number of slots, each with at most one request under
/// way. Its buffers are allocated by hand, so that a request costs no reference counts and no
/// exclusivity checks.
struct BenchConnection {
    /// One request that may be under way.
    struct Slot {
        var id: UInt64 = 0
        var instance: UInt64 = 0
        var event: UInt64 = 0
        /// When its latency started.
        var sentAt: UInt64 = 0
        var isBusy = false
    }

    enum Phase: Equatable {
        /// Not open; the next attempt is at this time.
        case closed(retryAt: UInt64)
        /// Connecting, until it is writable.
        case connecting
        /// Connected, until both sides of TLS agree.
        case securing
        /// Requests may be sent.
        case open
        /// All requests are answered or abandoned.
        case finished
    }

    let index: Int
    let template: RequestTemplate
    /// The line that proves who the connection is; empty without a token.
    private let hello: [UInt8]
    private let slotCount: Int
    private let slots: UnsafeMutablePointer<Slot>
    /// Free slots, as a stack.
    private let free: UnsafeMutablePointer<Int32>
    private var freeCount: Int
    private let input: UnsafeMutableRawBufferPointer
    private var inputCount = 0
    private let output: UnsafeMutableRawBufferPointer
    private var outputStart = 0
    private var outputEnd = 0

    var phase = Phase.closed(retryAt: 0)
    var channel: BenchChannel?
    /// Whether the loop waits until the socket is writable.
    var wantsWritable = false
    /// Failed attempts to connect in a row.
    var failures = 0
    private var eventsLeft: Int
    /// When requests are due; `nil` when each free slot sends the next one.
    private var schedule: SendSchedule?
    /// Whether requests were sent twice, so that replies may be repeats.
    private var hasRepeated = false
    private var nextEvent: UInt64 = 0
    private var nextID = RequestTemplate.firstID
    private var random: UInt64
    private let instances: UInt64

    init(_ plan: BenchPlan, index: Int) {
        self.index = index
        template = RequestTemplate(plan, connection: index)
        hello = plan.token.map(Self.hello) ?? []
        slotCount = plan.pipeline
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Slot(), count: slotCount)
        free = .allocate(capacity: slotCount)
        for slot in 0..<slotCount { (free + slot).initialize(to: Int32(slot)) }
        freeCount = slotCount
        input = .allocate(byteCount: BenchConnection.inputBytesMax, alignment: 16)
        // Room for the requests of all slots, a hello and one answer to a heartbeat.
        output = .allocate(
            byteCount: slotCount * template.bytes.count + hello.count + 64,
            alignment: 16)
        eventsLeft =
            plan.eventsMax.map { BenchPlan.share(of: $0, index: index, parts: plan.connections) }
            ?? .max
        schedule = plan.rate.map {
            SendSchedule(rate: $0, index: index, connections: plan.connections)
        }
        instances = UInt64(plan.instances)
        random = UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
    }

    func deallocate() {
        slots.deallocate()
        free.deallocate()
        input.deallocate()
        output.deallocate()
    }

    var busyCount: Int { slotCount - freeCount }

    /// Whether all events of its share are answered.
    var isExhausted: Bool { eventsLeft == 0 && busyCount == 0 }

    /// Whether it can write more once the socket is writable.
    var needsRoom: Bool { channel?.needsRoom(hasRequests: outputStart < outputEnd) ?? false }

    // MARK: Sending

    /// When it could send the next request; `nil` without a schedule, and while it can't send.
    var nextDue: UInt64? {
        phase == .open && freeCount > 0 && eventsLeft > 0 ? schedule?.due : nil
    }

    /// Puts a request into every free slot, of those that are due when there is a schedule.
    @inline(__always)
    mutating func fill(now: UInt64, _ tally: inout BenchTally) {
        while freeCount > 0, eventsLeft > 0,
            let due = schedule == nil ? now : schedule?.take(at: now)
        {
            eventsLeft -= 1
            freeCount -= 1
            let slot = slots + Int(free[freeCount])
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            // Ids name their slot: id − firstID is the slot's index modulo the number of slots.
            slot.pointee = Slot(
                id: makeID(slot: Int(free[freeCount])),
                instance: ((random >> 32) &* instances) >> 32, event: nextEvent, sentAt: due,
                isBusy: true)
            nextEvent += 1
            tally.sent += 1
            append(slot.pointee)
        }
    }

    @inline(__always)
    private mutating func makeID(slot: Int) -> UInt64 {
        let id = nextID + UInt64(slot)
        nextID += UInt64(slotCount)
        if nextID + UInt64(slotCount) > RequestTemplate.lastID {
            nextID = RequestTemplate.firstID
        }
        return id
    }

    @inline(__always)
    private mutating func append(_ slot: Slot) {
        if outputEnd + template.bytes.count > output.count { compactOutput() }
        guard let base = output.baseAddress else { return }
        template.write(
            to: base + outputEnd, id: slot.id, instance: slot.instance, event: slot.event)
        outputEnd += template.bytes.count
    }

    private mutating func compactOutput() {
        guard let base = output.baseAddress else { return }
        memmove(base, base + outputStart, outputEnd - outputStart)
        outputEnd -= outputStart
        outputStart = 0
    }

    /// Answers a heartbeat, if there is room; any other line would be an answer too.
    private mutating func answerHeartbeat() {
        let line = Array("{\"op\":\"ping\"}\n".utf8)
        compactOutput()
        guard outputEnd + line.count <= output.count else { return }
        UnsafeMutableRawBufferPointer(rebasing: output[outputEnd...]).copyBytes(from: line)
        outputEnd += line.count
    }

    /// Writes until nothing is left or the socket is full; returns the reason if the connection
    /// broke.
    mutating func flush() -> String? {
        while outputStart < outputEnd {
            let bytes = UnsafeRawBufferPointer(rebasing: output[outputStart..<outputEnd])
            switch channel?.write(bytes) {
            case .bytes(let count)?: outputStart += count
            case .wouldBlock?, nil: return nil
            case .failed(let reason)?: return reason
            }
        }
        outputStart = 0
        outputEnd = 0
        return channel?.writeWaiting()
    }

    // MARK: Receiving

    /// Reads once and handles all complete lines; returns the reason if the connection broke.
    mutating func read(
        _ tally: inout BenchTally, _ recorder: inout AckRecorder?, clock: () -> UInt64
    ) -> String? {
        if inputCount == input.count { return "the server sent a line that is too long" }
        let room = UnsafeMutableRawBufferPointer(rebasing: input[inputCount...])
        switch channel?.read(into: room) {
        case .bytes(let count)?: inputCount += count
        case .wouldBlock?, nil: return nil
        case .failed(let reason)?: return reason
        }
        let now = clock()
        guard let target = input.baseAddress else { return nil }
        let base = UnsafeRawPointer(target)
        var start = 0
        while start < inputCount,
            let newline = memchr(base + start, Int32(UInt8(ascii: "\n")), inputCount - start)
        {
            let end = base.distance(to: UnsafeRawPointer(newline))
            let line = UnsafeRawBufferPointer(start: base + start, count: end - start)
            receive(line, now: now, &tally, &recorder)
            start = end + 1
        }
        if start < inputCount, start > 0 {
            memmove(target, base + start, inputCount - start)
        }
        inputCount -= start
        return nil
    }

    @inline(__always)
    private mutating func receive(
        _ line: UnsafeRawBufferPointer, now: UInt64, _ tally: inout BenchTally,
        _ recorder: inout AckRecorder?
    ) {
        switch ReplyLine(line) {
        case .done(let id):
            guard let slot = release(id) else { return }
            tally.acknowledged += 1
            tally.record(latency: now &- slot.sentAt)
            if hasRepeated || recorder != nil { inspect(line, slot, &tally, &recorder) }
        case .refused(let id):
            tally.record(error: line)
            if let id { _ = release(id) }
        case .heartbeat: answerHeartbeat()
        case .other: break
        }
    }

    private func inspect(
        _ line: UnsafeRawBufferPointer, _ slot: Slot, _ tally: inout BenchTally,
        _ recorder: inout AckRecorder?
    ) {
        let dedup = template.dedup(event: slot.event)
        let isDuplicate = dedup != nil && ReplyLine.isDuplicate(line)
        if isDuplicate { tally.duplicates += 1 }
        if recorder != nil {
            recorder?.record(
                line, name: template.name(instance: slot.instance), dedup: dedup,
                isDuplicate: isDuplicate)
        }
    }

    /// Frees the slot of a request; `nil` for an id that isn't under way.
    @inline(__always)
    private mutating func release(_ id: UInt64) -> Slot? {
        guard id >= RequestTemplate.firstID else { return nil }
        let index = Int((id - RequestTemplate.firstID) % UInt64(slotCount))
        let slot = slots[index]
        guard slot.isBusy, slot.id == id else { return nil }
        slots[index].isBusy = false
        free[freeCount] = Int32(index)
        freeCount += 1
        return slot
    }

    // MARK: Connections that break

    /// Discards the socket and the buffers. With `repeating` the requests under way stay for
    /// ``begin(now:)``, which sends them again in their order; otherwise they are abandoned.
    /// Returns the number of abandoned requests.
    mutating func reset(repeating: Bool) -> Int {
        channel = nil
        inputCount = 0
        outputStart = 0
        outputEnd = 0
        wantsWritable = false
        guard !repeating else { return 0 }
        let lost = busyCount
        for index in 0..<slotCount where slots[index].isBusy { _ = release(slots[index].id) }
        return lost
    }

    /// Stops sending new events; requests under way can still be answered. Returns the number of
    /// those that were due and not sent, because no slot was free or the connection was away.
    mutating func stopSending(now: UInt64) -> Int {
        let unsent = min(eventsLeft, schedule?.overdueCount(at: now) ?? 0)
        eventsLeft = 0
        return unsent
    }

    /// A line that proves who the connection is. Requests after it in one burst are judged by its
    /// outcome.
    private static func hello(_ token: ClientToken) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("op", "hello")
            writer.member("id", Int64(0))
            writer.member("proto", Int64(1))
            writer.member("client", "grove bench")
            writer.member("token", token.text)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Appends the beginning of a new connection to the output: who it is, and all requests under
    /// way again, oldest first. Starts the schedule, if there is one.
    mutating func begin(now: UInt64) {
        schedule?.begin(at: now)
        UnsafeMutableRawBufferPointer(rebasing: output[outputEnd...]).copyBytes(from: hello)
        outputEnd += hello.count
        hasRepeated = hasRepeated || busyCount > 0
        let busy = UnsafeBufferPointer(start: slots, count: slotCount).filter(\.isBusy)
        for slot in busy.sorted(by: { $0.event < $1.event }) { append(slot) }
    }
}
