import Testing

@testable import struct GroveHTTP.WebSocketMask

@Suite("WebSocketMask")
struct WebSocketMaskTests {
    private static let key: [UInt8] = [0x11, 0x22, 0x44, 0x88]

    private static func mask() -> WebSocketMask {
        var mask = WebSocketMask()
        for byte in key { mask.append(byte) }
        return mask
    }

    @Test func `bytes of every length and place are unmasked in any pieces`() {
        let masked = (0..<48).map { UInt8($0 * 5 % 251) }
        let plain = masked.enumerated().map { $1 ^ Self.key[$0 % 4] }
        for first in 0...masked.count {
            for second in first...masked.count {
                var mask = Self.mask()
                // A start that isn't a multiple of eight.
                var bytes: [UInt8] = [9]
                let places = [masked[..<first], masked[first..<second], masked[second...]].map {
                    slice in slice.withUnsafeBytes { mask.append($0, to: &bytes) }
                }
                if bytes != [9] + plain { Issue.record("cut at \(first) and \(second)") }
                if places != [1, 1 + first, 1 + second] { Issue.record("\(places)") }
            }
        }
    }

    @Test func `a mask of zeros changes nothing`() {
        var mask = WebSocketMask()
        var bytes: [UInt8] = []
        _ = (1...20).map(UInt8.init).withUnsafeBytes { mask.append($0, to: &bytes) }
        #expect(bytes == (1...20).map(UInt8.init))
    }
}
