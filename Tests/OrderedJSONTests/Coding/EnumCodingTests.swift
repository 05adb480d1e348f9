import OrderedJSON
import Testing

enum Coin: Codable, Hashable, CaseIterable, Sendable { case penny, dime }

enum CounterEvent: Codable, Equatable, Sendable {
    case increment
    case add(amount: Int)
    case set(Int)
    case pair(Int, String)
    case move(Int, to: String)
    case late(from: String, Int)
    case note(text: String?, coin: Coin)
    case own(Int, value: Int)
    case maybe(Int?)
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
        (.late(from: "b", 3), #"{"type":"late","from":"b","value":3}"#),
        (.note(text: "x", coin: .dime), #"{"type":"note","text":"x","coin":"dime"}"#),
        (.note(text: nil, coin: .penny), #"{"type":"note","coin":"penny"}"#),
        (.own(1, value: 2), #"{"type":"own","_0":1,"value":2}"#),
        (.maybe(4), #"{"type":"maybe","value":4}"#),
        (.maybe(nil), #""maybe""#),
        (
            .both(.increment, then: .both(.set(1), then: .increment)),
            #"{"type":"both","value":"increment","then":"#
                + #"{"type":"both","value":{"type":"set","value":1},"then":"increment"}}"#
        ),
    ])
    func `every form of a case is written and read`(event: CounterEvent, text: String) throws {
        try expectRoundTrip(event, text)
    }

    @Test(arguments: [
        #"{"type":"increment"}"#, #"{"x":[1],"type":"increment","amount":2}"#,
        #"{ "type" : "\u0069ncrement" }"#, #""incr\u0065ment""#,
    ])
    func `a case without values is read from an object and from escapes`(text: String) throws {
        #expect(try decoded(CounterEvent.self, text) == .increment)
    }

    @Test(arguments: [
        (#"{"amount":5,"type":"add"}"#, CounterEvent.add(amount: 5)),
        (#"{"type":"add","amount":5,"more":{"amount":6}}"#, .add(amount: 5)),
        (#"{"type":"note","coin":{"type":"dime"},"text":null}"#, .note(text: nil, coin: .dime)),
        (#"{"type":"maybe","value":null}"#, .maybe(nil)),
        (#"{"type":"maybe"}"#, .maybe(nil)),
    ])
    func `members may come in any order, others are ignored, null is nil`(
        text: String, event: CounterEvent
    ) throws {
        #expect(try decoded(CounterEvent.self, text) == event)
    }

    struct Machine: Codable, Equatable {
        var state: CounterEvent
        var history: [CounterEvent]
        var byName: [String: Coin]
        var last: CounterEvent?
        var byCoin: [Coin: Int]
    }

    @Test func `enums have the same form at every place`() throws {
        let machine = Machine(
            state: .add(amount: 1), history: [.increment, .set(2)],
            byName: ["b": .dime, "a": .penny], last: .increment, byCoin: [.dime: 10])
        try expectRoundTrip(
            machine,
            #"{"state":{"type":"add","amount":1},"history":["increment",{"type":"set","value":2}],"#
                + #""byName":{"a":"penny","b":"dime"},"last":"increment","byCoin":["dime",10]}"#)
    }

    enum Generic<Payload: Codable & Equatable>: Codable, Equatable {
        case empty
        case full(Payload)
    }

    @Test func `a generic enum is an enum`() throws {
        try expectRoundTrip(Generic<Int>.empty, #""empty""#)
        try expectRoundTrip(
            Generic.full(Generic.full([Coin.dime])),
            #"{"type":"full","value":{"type":"full","value":["dime"]}}"#)
    }

    enum Renamed: Codable, Equatable {
        case coin(count: Int)
        case big_push

        enum CodingKeys: String, CodingKey {
            case coin = "COIN"
            case big_push = "PUSH!"
        }

        enum CoinCodingKeys: String, CodingKey { case count = "number of" }
    }

    @Test func `cases and labels may have other names on the wire`() throws {
        try expectRoundTrip(Renamed.coin(count: 2), #"{"type":"COIN","number of":2}"#)
        try expectRoundTrip(Renamed.big_push, #""PUSH!""#)
    }

    enum Level: Int, Codable { case low = 1, high = 2 }
    enum Colour: String, Codable { case red, green = "g" }

    @Test func `enums with a raw value keep it`() throws {
        try expectRoundTrip(Level.high, "2")
        try expectRoundTrip([Colour.red, .green], #"["red","g"]"#)
        try expectRoundTrip([Colour.red: 1], #"["red",1]"#)
        let error = try decodingError([Colour].self, #"["red","blue"]"#)
        #expect(error?.path == "$[1]")
        #expect(try decodingError(Level.self, "3")?.path == "$")
        #expect(try decodingError(Level.self, #""low""#)?.expected?.hasPrefix("an integer") == true)
    }

    struct Wide: Codable, Equatable {
        var number: Int
        var coin: Coin
    }

    enum Holder: Codable, Equatable {
        case wide(Wide)
        case many([Wide], named: [String: Wide])
    }

    @Test func `values of a case may be anything that is coded`() throws {
        let wide = Wide(number: 1, coin: .dime)
        try expectRoundTrip(
            Holder.wide(wide), #"{"type":"wide","value":{"number":1,"coin":"dime"}}"#)
        try expectRoundTrip(
            Holder.many([wide], named: ["x": wide]),
            #"{"type":"many","value":[{"number":1,"coin":"dime"}],"#
                + #""named":{"x":{"number":1,"coin":"dime"}}}"#)
    }

    enum Labelled: Codable, Equatable { case odd(type: Int), even(number: Int), maybe(type: Int?) }

    @Test func `a label that is called type is refused in both directions`() throws {
        let error = encodingError(["x": Labelled.odd(type: 1)])
        #expect(error?.path == "$.x")
        #expect(error?.message.contains("label \"type\"") == true)
        let reading = try decodingError([Labelled].self, #"[{"type":"odd"}]"#)
        #expect(reading?.path == "$[0]")
        #expect(reading?.message.contains("label \"type\"") == true)
        try expectRoundTrip(Labelled.even(number: 2), #"{"type":"even","number":2}"#)
        #expect(encodingError(Labelled.maybe(type: 1)) != nil)
        try expectRoundTrip(Labelled.maybe(type: nil), #""maybe""#)
    }

    @Test func `every case of a plain enum round trips`() throws {
        for coin in Coin.allCases { try expectRoundTrip(coin, "\"\(coin)\"") }
    }
}
