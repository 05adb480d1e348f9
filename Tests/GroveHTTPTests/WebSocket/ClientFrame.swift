import GroveHTTP

/// A frame as a client sends it: masked and minimal, unless a test says otherwise.
struct ClientFrame {
    /// FIN, the reserved bits and the opcode.
    var first: UInt8
    var payload: [UInt8]
    var key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    var isMasked = true
    /// The bytes of the extended length, 0, 2 or 8; else the fewest.
    var lengthBytes: Int?

    init(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true) {
        first = (isFinal ? 0x80 : 0) | opcode
        self.payload = payload
    }

    /// A message in one frame.
    static func text(_ text: String) -> ClientFrame { ClientFrame(0x1, Array(text.utf8)) }

    /// The first frame of a message of several.
    static func beginning(_ text: String) -> ClientFrame {
        ClientFrame(0x1, Array(text.utf8), isFinal: false)
    }

    /// A frame in the middle of a message.
    static func middle(_ text: String) -> ClientFrame {
        ClientFrame(0x0, Array(text.utf8), isFinal: false)
    }

    /// The last frame of a message.
    static func end(_ text: String) -> ClientFrame { ClientFrame(0x0, Array(text.utf8)) }

    static func ping(_ text: String) -> ClientFrame { ClientFrame(0x9, Array(text.utf8)) }

    static func pong(_ text: String) -> ClientFrame { ClientFrame(0xA, Array(text.utf8)) }

    static func close(_ code: Int, _ reason: [UInt8] = []) -> ClientFrame {
        ClientFrame(0x8, [UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)] + reason)
    }

    /// The header and the payload, masked byte by byte as RFC 6455, section 5.3 defines it.
    var bytes: [UInt8] {
        header + payload.enumerated().map { isMasked ? $1 ^ key[$0 % 4] : $1 }
    }

    var header: [UInt8] {
        var bytes = [first]
        let mask: UInt8 = isMasked ? 0x80 : 0
        let extended = lengthBytes ?? (payload.count < 126 ? 0 : payload.count < 65_536 ? 2 : 8)
        switch extended {
        case 0: bytes.append(mask | UInt8(payload.count))
        case 2: bytes.append(mask | 126)
        default: bytes.append(mask | 127)
        }
        for index in (0..<extended).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: payload.count >> (8 * index)))
        }
        return bytes + (isMasked ? key : [])
    }
}

/// What a reader says, with the bytes of its messages.
enum Said: Equatable {
    case text(String)
    case ping([UInt8])
    case pong([UInt8])
    case close(Int?, String)
    case failure(Int)

    static func ping(_ text: String) -> Said { .ping(Array(text.utf8)) }
    static func pong(_ text: String) -> Said { .pong(Array(text.utf8)) }
}

extension WebSocketReader {
    /// Reads a chunk to its end and returns all that was said.
    mutating func said(of chunk: [UInt8]) -> [Said] {
        var said: [Said] = []
        chunk.withUnsafeBytes { bytes in
            var position = 0
            while true {
                switch next(in: bytes, from: &position) {
                case .text: said.append(.text(Self.valid(message)))
                case .ping: said.append(.ping(control))
                case .pong: said.append(.pong(control))
                case .close(let code): said.append(.close(code, Self.valid(control)))
                case .failure(let failure): said.append(.failure(failure.code))
                case .needsMore:
                    precondition(position == chunk.count, "it needs more before the end")
                    return
                }
            }
        }
        return said
    }

    private static func valid(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self) ?? "(no UTF-8)"
    }
}

/// Feeds chunks to a reader and collects what it says.
func read(_ chunks: [[UInt8]], max: Int = 1 << 20) -> [Said] {
    var reader = WebSocketReader(messageBytesMax: max)
    return chunks.flatMap { reader.said(of: $0) }
}

/// Feeds frames, in one chunk.
func read(_ frames: ClientFrame..., max: Int = 1 << 20) -> [Said] {
    read([frames.flatMap(\.bytes)], max: max)
}
