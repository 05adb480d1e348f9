import OrderedJSON
import Testing

enum Coin: Codable, Equatable, CaseIterable, Sendable { case penny, dime }

enum CounterEvent: Codable, Equatable, Sendable {
    case increment
    case add(amount: Int)
    case set(Int)
    case pair(Int, String)
    case move(Int, to: String)
    case note(text: String?, coin: Coin)
    indirect case both(CounterEvent, then: CounterEvent)
}

/// Enums in the form of the wire protocol, in both directions.
@Suite struct EnumCodingTests {
    @Test(arguments: [
        (CounterEvent.increment, #""increment""#),
        (.add(amount: 5), #"{"type":"add","amount":5}"#),
        (.set(7), #"{"type":"set","value":7}"#),
        (.pair(1, "a"), #"{"type":"pair","_0":1,"_1":"a"}"#),
        (.move(3, to: "b"), #"{"type":"move","value":3,"to":"b"}"#),
        (.note(text: "x", coin: .dime), #"{"type":"note","text":"x","coin":"dime"}"#),
        (.note(text: nil, coin: .penny), #"{"type":"note","coin":"penny"}"#),
        (
            .both(.increment, then: .set(1)),
            #"{"type":"both","value":"increment","then":{"type":"set","value":1}}"#
        ),
    ])
    func `every form of a case is written and read`(event: CounterEvent, text: String) throws {
        #expect(try encoded(event) == text)
        #expect(try decoded(CounterEvent.self, text) == event)
    }

    @Test func `a case without values is read from an object too`() throws {
        #expect(try decoded(CounterEvent.self, #"{"type":"increment"}"#) == .increment)
        #expect(try decoded(CounterEvent.self, #"{"x":[1],"type":"increment"}"#) == .increment)
    }
}
