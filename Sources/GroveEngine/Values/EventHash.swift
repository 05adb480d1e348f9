import OrderedJSON
import Transducers

/// A 128-bit hash of an event, to recognize a repeat under the same key: two FNV-1a hashes with
/// different starts. It guards against mistakes, not against a client that cheats itself.
public struct EventHash: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The hash of an event as its machine encodes it.
    init(_ event: any HostedEvent) throws(Failure) {
        do {
            self.init(of: try event.canonicalText())
        } catch {
            throw Failure(error, state: [], event: [])
        }
    }

    /// The hash of an event as it was sent, without its machine. White space, the order of members,
    /// and the spelling of strings and numbers don't count. `nil` for a text that a client can't
    /// send.
    init?(written text: [UInt8]) {
        let limits = JSONLimits(
            depthMax: JSONLimits.standard.depthMax, bytesMax: JSONDocument.textBytesCeiling,
            valuesMax: .max)
        guard let document = try? JSONDocument(parsing: text, limits: limits) else { return nil }
        let lanes = WrittenLanes(document.root, of: document)
        self.init(high: lanes.high, low: lanes.low)
    }

    init(of bytes: [UInt8]) {
        var high: UInt64 = 0xCBF2_9CE4_8422_2325
        var low: UInt64 = 0x6C62_272E_07BB_0142
        for byte in bytes {
            high = (high ^ UInt64(byte)) &* 0x100_0000_01B3
            low = (low ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
            low ^= low >> 29
        }
        self.high = high
        self.low = low
    }

    func matches(_ entry: DedupEntry) -> Bool { high == entry.hashHigh && low == entry.hashLow }
}

/// Builds the hash of a JSON value, with its members in any order. The hash is stored
/// (docs/internals/data-file.md), so this must not change.
private struct WrittenLanes {
    var high: UInt64 = 0xCBF2_9CE4_8422_2325
    var low: UInt64 = 0x6C62_272E_07BB_0142

    /// The hash of a value with all its parts. Recurses as deeply as the value is nested.
    init(_ node: JSONDocument.Node, of document: JSONDocument) {
        switch document.kind(node) {
        case .null: add(1)
        case .bool: add(document.bool(node) == true ? 3 : 2)
        case .integer: add(4, UInt64(bitPattern: document.integer(node) ?? 0))
        case .double: add(5, (document.double(node) ?? 0).bitPattern)
        case .string:
            add(6)
            add(stringAt: node, of: document)
        case .array:
            add(7, UInt64(document.count(node)))
            for element in document.elements(of: node) {
                let inner = WrittenLanes(element, of: document)
                add(inner.high, inner.low)
            }
        case .object:
            add(8, UInt64(document.count(node)))
            // A sum, so that their order doesn't count.
            var (high, low): (UInt64, UInt64) = (0, 0)
            for (name, value) in document.members(of: node) {
                var member = WrittenLanes(value, of: document)
                member.add(stringAt: name, of: document)
                high &+= member.high
                low &+= member.low
            }
            add(high, low)
        }
    }

    private mutating func add(stringAt node: JSONDocument.Node, of document: JSONDocument) {
        var lanes = self
        document.withStringBytes(node) { bytes in
            lanes.add(UInt64(bytes.count))
            var offset = 0
            while offset + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                lanes.add(UInt64(littleEndian: word))
                offset += 8
            }
            var rest: UInt64 = 0
            while offset < bytes.count {
                rest = rest << 8 | UInt64(bytes[offset])
                offset += 1
            }
            lanes.add(rest)
        }
        self = lanes
    }

    private mutating func add(_ first: UInt64, _ second: UInt64) {
        add(first)
        add(second)
    }

    private mutating func add(_ word: UInt64) {
        high = (high ^ word) &* 0x9E37_79B9_7F4A_7C15
        high ^= high >> 32
        low = (low ^ word) &* 0xC2B2_AE3D_27D4_EB4F
        low ^= low >> 29
    }
}
