/// A request as bytes, with three fields of fixed width that are filled in before sending: id,
/// instance, and the number in the dedup key. A request allocates nothing.
struct RequestTemplate {
    /// The smallest id: ids have eight digits and no leading zero.
    static let firstID: UInt64 = 10_000_000
    /// The largest id.
    static let lastID: UInt64 = 99_999_999
    static let idDigits = 8
    static let instanceDigits = 7
    static let eventDigits = 10

    let bytes: [UInt8]
    private let idOffset: Int
    private let nameOffset: Int
    private let instanceOffset: Int
    private let dedupOffset: Int?
    private let eventOffset: Int?

    /// The request of `plan` on the connection with this index.
    init(_ plan: BenchPlan, connection: Int) {
        var bytes = Array("{\"op\":\"send\",\"id\":".utf8)
        func zeros(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: "0"), count: count) }
        idOffset = bytes.count
        bytes += zeros(RequestTemplate.idDigits)
        bytes += Array(",\"to\":\"".utf8)
        nameOffset = bytes.count
        bytes += Array("\(plan.machine)/\(plan.instancePrefix)".utf8)
        instanceOffset = bytes.count
        bytes += zeros(RequestTemplate.instanceDigits)
        bytes += Array("\",\"event\":".utf8) + plan.event
        if plan.usesDedup {
            bytes += Array(",\"dedup\":\"".utf8)
            dedupOffset = bytes.count
            bytes += Array("\(plan.run)-\(connection)-".utf8)
            eventOffset = bytes.count
            bytes += zeros(RequestTemplate.eventDigits)
            bytes.append(UInt8(ascii: "\""))
        } else {
            dedupOffset = nil
            eventOffset = nil
        }
        self.bytes = bytes + Array("}\n".utf8)
    }

    /// Writes one request to `target`, which must have room for all `bytes`.
    func write(to target: UnsafeMutableRawPointer, id: UInt64, instance: UInt64, event: UInt64) {
        bytes.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            target.copyMemory(from: base, byteCount: source.count)
        }
        write(id, to: target + idOffset, RequestTemplate.idDigits)
        write(instance, to: target + instanceOffset, RequestTemplate.instanceDigits)
        if let eventOffset { write(event, to: target + eventOffset, RequestTemplate.eventDigits) }
    }

    private func write(_ number: UInt64, to target: UnsafeMutableRawPointer, _ digits: Int) {
        var rest = number
        var index = digits
        while index > 0, rest > 0 {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            index -= 1
            target.storeBytes(
                of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit),
                toByteOffset: index, as: UInt8.self)
            rest = quotient
        }
    }

    /// The name of an instance, as requests have it.
    func name(instance: UInt64) -> [UInt8] {
        let prefix = bytes[nameOffset..<instanceOffset]
        return prefix + padded(instance, RequestTemplate.instanceDigits)
    }

    /// The dedup key of an event; `nil` when requests have none.
    func dedup(event: UInt64) -> [UInt8]? {
        guard let dedupOffset, let eventOffset else { return nil }
        return bytes[dedupOffset..<eventOffset] + padded(event, RequestTemplate.eventDigits)
    }

    private func padded(_ number: UInt64, _ digits: Int) -> [UInt8] {
        let text = Array(String(number).utf8)
        let zeros = max(0, digits - text.count)
        return Array(repeating: UInt8(ascii: "0"), count: zeros) + text
    }
}
