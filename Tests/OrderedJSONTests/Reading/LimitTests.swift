import OrderedJSON
import Testing

/// The bounds of a text.
@Suite struct LimitTests {
    @Test func `sixty-four open arrays or objects are fine, one more isn't`() throws {
        #expect(JSONLimits.standard.depthMax == 64)
        for (open, inner, close) in [("[", "", "]"), ("{\"a\":", "1", "}"), ("[", "{}", "]")] {
            let own = inner == "{}" ? 1 : 0
            let fits = repeated(open, 64 - own) + inner + repeated(close, 64 - own)
            #expect(throws: Never.self) { try parsed(fits) }
            let tooDeep = repeated(open, 65 - own) + inner + repeated(close, 65 - own)
            let offset = open.utf8.count * (own == 1 ? 64 : 64)
            #expect(refusal(of: tooDeep) == JSONError(offset: offset, reason: .tooDeep))
        }
    }

    @Test func `depth counts open brackets only`() throws {
        let siblings = "[" + repeated("[[]],", 1000) + "[]]"
        #expect(throws: Never.self) { try parsed(siblings, limits: JSONLimits(depthMax: 3)) }
        #expect(
            refusal(of: siblings, limits: JSONLimits(depthMax: 2))
                == JSONError(offset: 2, reason: .tooDeep))
    }

    @Test func `with depth zero only simple values are fine`() throws {
        let limits = JSONLimits(depthMax: 0)
        #expect(throws: Never.self) { try parsed("5", limits: limits) }
        #expect(refusal(of: " []", limits: limits) == JSONError(offset: 1, reason: .tooDeep))
        #expect(refusal(of: "{}", limits: limits) == JSONError(offset: 0, reason: .tooDeep))
    }

    @Test func `a text of as many bytes as allowed is read, one more isn't`() throws {
        let limits = JSONLimits(bytesMax: 5)
        #expect(throws: Never.self) { try parsed("[1,2]", limits: limits) }
        #expect(refusal(of: "[1,2] ", limits: limits) == JSONError(offset: 5, reason: .tooLong))
        #expect(throws: Never.self) { try parsed("12345", limits: limits) }
        #expect(
            refusal(of: "1", limits: JSONLimits(bytesMax: 0))
                == JSONError(offset: 0, reason: .tooLong))
    }

    @Test func `values are counted, names aren't`() throws {
        let limits = JSONLimits(valuesMax: 4)
        #expect(throws: Never.self) { try parsed("[1,2,3]", limits: limits) }
        #expect(
            refusal(of: "[1,2,3,4]", limits: limits)
                == JSONError(offset: 7, reason: .tooManyValues))
        #expect(throws: Never.self) { try parsed(#"{"a":1,"b":[2]}"#, limits: limits) }
        #expect(
            refusal(of: #"{"a":1,"b":[2,3]}"#, limits: limits)
                == JSONError(offset: 14, reason: .tooManyValues))
        #expect(
            refusal(of: "1", limits: JSONLimits(valuesMax: 0))
                == JSONError(offset: 0, reason: .tooManyValues))
    }

    @Test func `limits beyond what a text can have don't overflow`() throws {
        let limits = JSONLimits(depthMax: .max, bytesMax: .max, valuesMax: .max)
        #expect(throws: Never.self) { try parsed("[[1],{\"a\":2}]", limits: limits) }
    }

    @Test func `a limit may be changed on its own`() throws {
        var limits = JSONLimits.standard
        limits.depthMax = 1
        #expect(throws: Never.self) { try parsed("[1]", limits: limits) }
        #expect(refusal(of: "[[1]]", limits: limits)?.reason == .tooDeep)
        #expect(limits.bytesMax == 1 << 24 && limits.valuesMax == 100_000)
    }
}
