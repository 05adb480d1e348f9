import GroveHTTP
import Testing

@Suite("WebSocketWriter")
struct WebSocketWriterTests {
    private func written(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        body(&bytes)
        return bytes
    }

    @Test(
        arguments: [
            (0, [0x81, 0]), (5, [0x81, 5]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]),
            (256, [0x81, 126, 1, 0]), (65_535, [0x81, 126, 255, 255]),
            (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
            (0x0102_0304_0506, [0x81, 127, 0, 0, 1, 2, 3, 4, 5, 6]),
        ] as [(Int, [UInt8])])
    func `a length has its shortest form`(count: Int, header: [UInt8]) {
        let bytes = written {
            WebSocketWriter.appendHeader(opcode: .text, payloadBytes: count, to: &$0)
        }
        #expect(bytes == header)
    }

    @Test(
        arguments: [
            (WebSocketOpcode.continuation, 0x80), (.text, 0x81), (.binary, 0x82), (.close, 0x88),
            (.ping, 0x89), (.pong, 0x8A),
        ] as [(WebSocketOpcode, UInt8)])
    func `every frame is the last of its message, unmasked`(opcode: WebSocketOpcode, first: UInt8) {
        let bytes = written {
            WebSocketWriter.appendHeader(opcode: opcode, payloadBytes: 125, to: &$0)
        }
        #expect(bytes == [first, 125])
    }

    @Test func `pings and pongs have their payload, after what is there`() {
        let bytes = written {
            $0 = [1]
            WebSocketWriter.appendPing([], to: &$0)
            WebSocketWriter.appendPong(Array("Hello".utf8), to: &$0)
        }
        // The pong is that of RFC 6455, section 5.7, without a mask.
        #expect(bytes == [1, 0x89, 0, 0x8A, 5, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    }

    @Test func `a close frame has a code and a reason`() {
        #expect(
            written { WebSocketWriter.appendClose(code: 1001, reason: "é", to: &$0) }
                == [0x88, 4, 0x03, 0xE9, 0xC3, 0xA9])
        #expect(
            written { WebSocketWriter.appendClose(code: 4999, reason: "", to: &$0) }
                == [0x88, 2, 0x13, 0x87])
    }

    @Test func `a close frame without a code is empty`() {
        #expect(
            written { WebSocketWriter.appendClose(code: nil, reason: "x", to: &$0) } == [0x88, 0])
    }

    @Test func `a long reason is cut between characters`() {
        for shift in 0..<4 {
            let text = String(repeating: "x", count: shift) + String(repeating: "🙂", count: 40)
            let bytes = written {
                WebSocketWriter.appendClose(code: 1002, reason: text, to: &$0)
            }
            let reason = String(validating: bytes.dropFirst(4), as: UTF8.self)
            #expect(reason.map { text.utf8.starts(with: $0.utf8) } == true)
            #expect(bytes[1] == UInt8(bytes.count - 2))
            #expect((122...125).contains(bytes[1]))
        }
    }

    @Test(arguments: [123, 124])
    func `a reason of 123 bytes is whole`(count: Int) {
        let bytes = written {
            WebSocketWriter.appendClose(
                code: 1000, reason: String(repeating: "x", count: count), to: &$0)
        }
        #expect(bytes.count == 127)
    }

    @Test(arguments: [999, 1005, 1006, 1015, 5000])
    func `a code that may not be sent stops the program`(code: Int) async {
        await #expect(processExitsWith: .failure) { [code] in
            var bytes: [UInt8] = []
            WebSocketWriter.appendClose(code: code, reason: "", to: &bytes)
        }
    }

    @Test func `a control frame of 126 bytes stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            WebSocketWriter.appendPing([UInt8](repeating: 0, count: 126), to: &bytes)
        }
    }
}
