import Testing

@testable import GroveWire

@Suite("ErrorCode as a number")
struct ErrorCodeJSONRPCTests {
    @Test func `every code has a unique number`() {
        let numbers = ErrorCode.allCases.map(\.number)
        #expect(Set(numbers).count == numbers.count)
        #expect(!numbers.contains(ErrorCode.invalidRequestNumber))
    }

    @Test func `JSON-RPC's own numbers have their meaning`() {
        #expect(ErrorCode.badJSON.number == -32_700 && ErrorCode.parseErrorNumber == -32_700)
        #expect(ErrorCode.invalidRequestNumber == -32_600)
        #expect(ErrorCode.unknownOp.number == -32_601)
        #expect(ErrorCode.badRequest.number == -32_602)
        #expect(ErrorCode.internalError.number == -32_603)
    }

    @Test func `other numbers are in the range for servers`() {
        let own: Set<ErrorCode> = [.badJSON, .unknownOp, .badRequest, .internalError]
        for code in ErrorCode.allCases where !own.contains(code) {
            #expect((-32_099 ... -32_001).contains(code.number), "\(code.rawValue)")
        }
    }
}
