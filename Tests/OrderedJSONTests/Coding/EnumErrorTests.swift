import OrderedJSON
import Testing

/// Messages for an enum that can't be read.
@Suite struct EnumErrorTests {
    struct Request: Codable {
        var event: CounterEvent
    }

    @Test func `an unknown case is named, at the place of the name`() throws {
        let short = try decodingError(Request.self, #"{"event":"explode"}"#)
        #expect(
            short
                == JSONDecodingError(
                    path: "$.event", message: #"there is no case "explode""#,
                    expected: "a case of CounterEvent"))
        let long = try decodingError(Request.self, #"{"event":{"type":"explode","amount":5}}"#)
        #expect(long?.path == "$.event.type")
        #expect(long?.message == #"there is no case "explode""#)
    }

    @Test func `a name is escaped, and shortened if it is long`() throws {
        let odd = try decodingError(Coin.self, #""a\"\n""#)
        #expect(odd?.message == #"there is no case "a\"\n""#)
        let long = try decodingError(Coin.self, "\"" + repeated("é", 1000) + "\"")
        #expect(long?.message == "there is no case \"" + repeated("é", 64) + "…\"")
    }

    @Test(arguments: ["5", "true", "[]", "null", "1.5"])
    func `neither string nor object is no enum`(text: String) throws {
        let error = try decodingError(Request.self, "{\"event\":\(text)}")
        #expect(error?.path == "$.event")
        #expect(error?.expected == "the name of a case, or an object with \"type\"")
        #expect(error?.message.hasPrefix("expected the name of a case") == true)
    }

    @Test func `an object without a type says so`() throws {
        let error = try decodingError(Request.self, #"{"event":{"amount":5}}"#)
        #expect(error?.path == "$.event.type")
        #expect(error?.message == #"the member "type" is missing"#)
        let number = try decodingError(Request.self, #"{"event":{"type":5}}"#)
        #expect(number?.path == "$.event.type")
        #expect(number?.message == "expected the name of a case, found a number")
    }

    @Test func `a missing value is named, and its type`() throws {
        let object = try decodingError(Request.self, #"{"event":{"type":"add","number":5}}"#)
        #expect(object?.path == "$.event.amount")
        #expect(object?.message == #"the member "amount" is missing"#)
        #expect(object?.expected?.hasPrefix("an integer from -9007199254740991") == true)
        let string = try decodingError(Request.self, #"{"event":"add"}"#)
        #expect(string?.path == "$.event")
        #expect(string?.message == #"the case "add" needs the member "amount""#)
        let unlabelled = try decodingError(Request.self, #"{"event":{"type":"set","_0":5}}"#)
        #expect(unlabelled?.path == "$.event.value")
    }

    @Test func `a value of the wrong kind is reported with its path`() throws {
        let error = try decodingError(Request.self, #"{"event":{"type":"add","amount":"5"}}"#)
        #expect(error?.path == "$.event.amount")
        #expect(
            error?.message
                == "expected an integer from -9007199254740991 to 9007199254740991, found a string")
        let inner = try decodingError(
            Request.self, #"{"event":{"type":"both","value":"increment","then":{"type":"x"}}}"#)
        #expect(inner?.path == "$.event.then.type")
        #expect(inner?.message == #"there is no case "x""#)
    }

    @Test func `Swift's own form of an enum isn't read`() throws {
        let error = try decodingError(Request.self, #"{"event":{"add":{"amount":5}}}"#)
        #expect(error?.path == "$.event.type")
    }

    struct Cautious: Decodable {
        var coins: [Coin?] = []

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                do {
                    coins.append(try container.decode(Coin.self))
                } catch DecodingError.dataCorrupted(let context) {
                    #expect(context.debugDescription.contains("no case"))
                    coins.append(nil)
                    _ = try container.decode(JSONValue.self)
                }
            }
        }
    }

    @Test func `code may catch an unknown case as a DecodingError`() throws {
        let coins = try decoded(Cautious.self, #"["dime","euro","penny"]"#).coins
        #expect(coins == [.dime, nil, .penny])
    }
}
