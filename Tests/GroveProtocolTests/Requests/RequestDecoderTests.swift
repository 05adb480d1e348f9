import BuiltInMachines
import GroveEngine
import GroveWire
import OrderedJSON
import Testing
import Transducers

@testable import GroveProtocol

@Suite("RequestDecoder")
struct RequestDecoderTests {
    static let zero = String(repeating: "A", count: 22)

    private func decode(_ text: String) throws -> DecodedLine {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        return Array(text.utf8).withUnsafeBytes { decoder.decode($0) }
    }

    private func operation(_ text: String) throws -> Operation {
        guard case .operation(let operation) = try decode(text).body else {
            throw Unexpected(text: "\(try decode(text).body)")
        }
        return operation
    }

    private struct Unexpected: Error {
        let text: String
    }

    private func id(_ text: String) -> DecodedLine.Answer {
        .id(Array(text.utf8).withUnsafeBytes { RequestID($0) })
    }

    // MARK: Ids

    @Test(arguments: [#""x""#, "7", "-0", "9007199254740991", #""\u0041""#])
    func `an id is a string or an integer, kept as it was written`(text: String) throws {
        #expect(try decode(#"{"op":"stats","id":\#(text)}"#).answer == id(text))
    }

    @Test func `a pattern is as long as a name at most; stars in a row are one`() throws {
        func subscribe(_ member: String, _ pattern: String) throws -> DecodedLine.Body {
            try decode(
                #"{"op":"subscribe","id":1,"sub":"s","select":{"\#(member)":"\#(pattern)"}}"#
            )
            .body
        }
        for (member, bound) in [("machine", 64), ("instance", 200), ("type", 200)] {
            let fits = String(repeating: "a", count: bound - 1)
            guard case .operation = try subscribe(member, fits + "***") else {
                throw Unexpected(text: "\(member) of \(bound) bytes")
            }
            guard case .refusal(let error) = try subscribe(member, fits + "*?") else {
                throw Unexpected(text: "\(member) of more than \(bound) bytes")
            }
            #expect(error.code == .badRequest)
            #expect(
                String(decoding: error.data, as: UTF8.self) == #"{"at":"$.select.\#(member)"}"#)
        }
        let stars = String(repeating: "*", count: 1_000_000)
        guard case .operation(.subscribe(let subscribe)) = try subscribe("instance", stars + "a")
        else { throw Unexpected(text: "stars") }
        #expect(subscribe.selection.instance == Glob("*a"))
    }

    @Test func `the reason of a stop has at most a kibibyte`() throws {
        func stop(_ count: Int) throws -> DecodedLine.Body {
            let reason = String(repeating: "r", count: count)
            return try decode(#"{"op":"stop","id":1,"to":"counter/c","reason":"\#(reason)"}"#).body
        }
        guard case .operation = try stop(1_024) else { throw Unexpected(text: "1,024") }
        guard case .refusal(let error) = try stop(1_025) else { throw Unexpected(text: "1,025") }
        #expect(String(decoding: error.data, as: UTF8.self) == #"{"at":"$.reason"}"#)
    }

    @Test func `without an id, or with null, there is no reply`() throws {
        #expect(try decode(#"{"op":"stats"}"#).answer == .none)
        #expect(try decode(#"{"op":"stats","id":null}"#).answer == .none)
        #expect(try decode(#"{"op":"nonsense","id":null}"#).answer == .none)
    }

    // MARK: Refusals

    /// The line, the code, where it is said to be wrong, whether it is answered with id null.
    static let refused: [(String, ErrorCode, String, Bool)] = [
        ("{", .badJSON, "1", true), ("", .badJSON, "0", true),
        (#"{"op":"stats"} x"#, .badJSON, "15", true),
        (#"{"op":"stats","op":"stats"}"#, .badJSON, "14", true),
        ("{\"op\":\"\u{1}\"}", .badJSON, "7", true),
        ("[]", .badRequest, "$", true), ("5", .badRequest, "$", true),
        (#""send""#, .badRequest, "$", true), ("null", .badRequest, "$", true),
        (#"{"op":"stats","id":5.0}"#, .badRequest, "$.id", true),
        (#"{"op":"stats","id":true}"#, .badRequest, "$.id", true),
        (#"{"op":"stats","id":[1]}"#, .badRequest, "$.id", true),
        (#"{"op":"stats","id":{}}"#, .badRequest, "$.id", true),
        (#"{"op":"stats","id":9007199254740993}"#, .badRequest, "$.id", true),
        (#"{"id":1}"#, .badRequest, "$.op", false),
        (#"{"id":1,"op":5}"#, .badRequest, "$.op", false),
        (#"{"id":1,"op":"fly"}"#, .unknownOp, "$.op", false),
        (#"{"id":1,"op":"SEND"}"#, .unknownOp, "$.op", false),
        (#"{"id":1,"op":""}"#, .unknownOp, "$.op", false),
        (#"{"id":1,"op":"hello","proto":2}"#, .unsupportedProto, "$.proto", false),
        (#"{"id":1,"op":"hello","proto":"1"}"#, .badRequest, "$.proto", false),
        (#"{"id":1,"op":"hello","proto":[1]}"#, .badRequest, "$.proto", false),
        (#"{"id":1,"op":"hello","order":"loose"}"#, .badRequest, "$.order", false),
        (#"{"id":1,"op":"hello","client":5}"#, .badRequest, "$.client", false),
        (#"{"id":1,"op":"hello","token":5}"#, .badRequest, "$.token", false),
    ]

    @Test(arguments: refused)
    func `a wrong line is refused with its code and place`(
        line: String, code: ErrorCode, place: String, isNull: Bool
    ) throws {
        let decoded = try decode(line)
        guard case .refusal(let error) = decoded.body else {
            throw Unexpected(text: "\(decoded.body)")
        }
        #expect(error.code == code)
        let at = place.hasPrefix("$") ? "\"\(place)\"" : place
        #expect(String(decoding: error.data, as: UTF8.self).hasPrefix("{\"at\":\(at)"))
        #expect(decoded.answer == (isNull ? .null : id("1")))
    }

    /// The members of a request besides id, and the path of what is wrong with them.
    static let badMembers: [(String, String)] = [
        (#""op":"send","event":"increment""#, "$.to"),
        (#""op":"send","to":5,"event":"increment""#, "$.to"),
        (#""op":"send","to":"counter","event":"increment""#, "$.to"),
        (#""op":"send","to":"counter/","event":"increment""#, "$.to"),
        (#""op":"send","to":"counter/a b","event":"increment""#, "$.to"),
        (#""op":"send","to":"1/a","event":"increment""#, "$.to"),
        (#""op":"send","to":"counter/c""#, "$.event"),
        (#""op":"send","to":"counter/c","event":5"#, "$.event"),
        (#""op":"send","to":"counter/c","event":null"#, "$.event"),
        (#""op":"send","to":"counter/c","event":[1]"#, "$.event"),
        (#""op":"send","to":"counter/c","event":"increment","dedup":5"#, "$.dedup"),
        (#""op":"send","to":"counter/c","event":"increment","dedup":"""#, "$.dedup"),
        (#""op":"send","to":"counter/c","event":"increment","expect":-1"#, "$.expect"),
        (#""op":"send","to":"counter/c","event":"increment","expect":5.0"#, "$.expect"),
        (#""op":"send","to":"counter/c","event":"increment","expect":"here""#, "$.expect"),
        (#""op":"send","to":"counter/c","event":"increment","expect":null"#, "$.expect"),
        (#""op":"send","to":"counter/c","event":"increment","create":"maybe""#, "$.create"),
        (#""op":"send","to":"counter/c","event":"increment","create":true"#, "$.create"),
        (#""op":"send","to":"counter/c","event":"increment","reply":"max""#, "$.reply"),
        (#""op":"send","to":"counter/c","event":"increment","settle":"all""#, "$.settle"),
        (#""op":"send","to":"counter/c","event":"increment","settle":1"#, "$.settle"),
        (#""op":"send","to":"counter/c","event":"increment","timeout_ms":"1""#, "$.timeout_ms"),
        (#""op":"create","to":"counter/","dedup":"x""#, "$.to"),
        (#""op":"create","to":"counter/c","dedup":7"#, "$.dedup"),
        (#""op":"get""#, "$.to"), (#""op":"get","to":"counter/c","at":-1"#, "$.at"),
        (#""op":"get","to":"counter/c","at":1.5"#, "$.at"),
        (#""op":"list","machine":"a/b""#, "$.machine"), (#""op":"list","machine":5"#, "$.machine"),
        (#""op":"list","prefix":5"#, "$.prefix"), (#""op":"list","state":[]"#, "$.state"),
        (#""op":"list","done":"true""#, "$.done"), (#""op":"list","after":5"#, "$.after"),
        (#""op":"list","limit":0"#, "$.limit"), (#""op":"list","limit":1001"#, "$.limit"),
        (#""op":"list","limit":"5""#, "$.limit"), (#""op":"list","limit":5.0"#, "$.limit"),
        (#""op":"history","to":"counter/c","after":-1"#, "$.after"),
        (#""op":"history","to":"counter/c","limit":1001"#, "$.limit"),
        (#""op":"history""#, "$.to"), (#""op":"subscribe""#, "$.sub"),
        (#""op":"subscribe","sub":"""#, "$.sub"), (#""op":"subscribe","sub":5"#, "$.sub"),
        (#""op":"subscribe","sub":"s","select":"order""#, "$.select"),
        (#""op":"subscribe","sub":"s","select":{"machine":5}"#, "$.select.machine"),
        (#""op":"subscribe","sub":"s","select":{"instance":[]}"#, "$.select.instance"),
        (#""op":"subscribe","sub":"s","select":{"type":null}"#, "$.select.type"),
        (#""op":"subscribe","sub":"s","select":{"kind":"output"}"#, "$.select.kind"),
        (#""op":"subscribe","sub":"s","select":{"kind":[]}"#, "$.select.kind"),
        (#""op":"subscribe","sub":"s","select":{"kind":["state","x"]}"#, "$.select.kind[1]"),
        (#""op":"subscribe","sub":"s","from":"later""#, "$.from"),
        (#""op":"subscribe","sub":"s","from":5"#, "$.from"),
        (#""op":"subscribe","sub":"s","from":{}"#, "$.from"),
        (#""op":"subscribe","sub":"s","from":{"after":5}"#, "$.from.after"),
        (#""op":"subscribe","sub":"s","snapshot":1"#, "$.snapshot"),
        (#""op":"subscribe","sub":"s","snapshot":true,"from":"first""#, "$.snapshot"),
        (#""op":"subscribe","sub":"s","credit":-1"#, "$.credit"),
        (#""op":"subscribe","sub":"s","credit":"1""#, "$.credit"),
        (#""op":"subscribe","sub":"s","slow":"drop""#, "$.slow"),
        (#""op":"subscribe","sub":"s","slow":"conflate""#, "$.slow"),
        (#""op":"unsubscribe""#, "$.sub"), (#""op":"credit","n":5"#, "$.sub"),
        (#""op":"credit","sub":"s""#, "$.n"), (#""op":"credit","sub":"s","n":0"#, "$.n"),
        (#""op":"credit","sub":"s","n":1.0"#, "$.n"), (#""op":"stop""#, "$.to"),
        (#""op":"stop","to":"counter/c","reason":5"#, "$.reason"), (#""op":"delete""#, "$.to"),
    ]

    @Test(arguments: badMembers)
    func `a wrong member is BAD_REQUEST with its path`(members: String, path: String) throws {
        let decoded = try decode(#"{"id":1,\#(members)}"#)
        guard case .refusal(let error) = decoded.body else {
            throw Unexpected(text: "\(decoded.body)")
        }
        #expect(error.code == .badRequest)
        #expect(String(decoding: error.data, as: UTF8.self) == #"{"at":"\#(path)"}"#)
        #expect(decoded.answer == id("1"))
    }

    @Test func `ops of later versions are unknown, and the answer lists the known ones`() throws {
        for op in ["login", "drain"] {
            guard case .refusal(let error) = try decode(#"{"id":1,"op":"\#(op)"}"#).body else {
                throw Unexpected(text: op)
            }
            #expect(error.code == .unknownOp)
            #expect(
                error.message.contains("create, credit, define, definitions, delete, describe"))
        }
    }

    @Test func `a key has at most 200 bytes, without escapes`()
        throws
    {
        func body(_ key: String) throws -> DecodedLine.Body {
            try decode(
                #"{"op":"send","to":"counter/c","event":"increment","dedup":"\#(key)"}"#
            ).body
        }
        let long = String(repeating: "k", count: 200)
        guard case .operation(.send(let send)) = try body(long) else {
            throw Unexpected(text: "200")
        }
        #expect(send.dedup == Array(long.utf8))
        guard case .refusal = try body(long + "k") else { throw Unexpected(text: "201") }
        let escaped = String(repeating: #"\u006b"#, count: 200)
        guard case .operation(.send(let other)) = try body(escaped) else {
            throw Unexpected(text: "escaped")
        }
        #expect(other.dedup == send.dedup)
    }

    @Test func `the name of a subscription has at most 200 bytes`() throws {
        let long = String(repeating: "s", count: Limits.subscriptionNameBytesMax)
        guard
            case .subscribe(let subscribe) = try operation(
                #"{"op":"subscribe","sub":"\#(long)"}"#)
        else { throw Unexpected(text: "200") }
        #expect(subscribe.name == SubscriptionName(Array(long.utf8)))
        guard
            case .refusal(let error) = try decode(#"{"op":"subscribe","sub":"\#(long)s"}"#).body
        else { throw Unexpected(text: "201") }
        #expect(error.code == .badRequest && error.path == "$.sub")
    }

    @Test(arguments: [
        #""op":"list""#, #""op":"history","to":"counter/c""#, #""op":"effects""#,
    ])
    func `a page has 1 to 1,000 items`(request: String) throws {
        for limit in [1, Limits.pageItemsMax] {
            _ = try operation("{\(request),\"limit\":\(limit)}")
        }
        for limit in [0, Limits.pageItemsMax + 1] {
            guard
                case .refusal(let error) = try decode("{\(request),\"limit\":\(limit)}").body
            else { throw Unexpected(text: request) }
            #expect(error.code == .badRequest && error.path == "$.limit")
        }
    }

    @Test func `a line has at most 100,000 values`() throws {
        // The object, the op and the array are three of them.
        func ping(_ values: Int) throws -> DecodedLine.Body {
            let items = Array(repeating: "1", count: values - 3).joined(separator: ",")
            return try decode(#"{"op":"ping","t":[\#(items)]}"#).body
        }
        guard case .ping = try ping(ServerLimits.valuesMax) else {
            throw Unexpected(text: "as many as may be")
        }
        guard case .refusal(let error) = try ping(ServerLimits.valuesMax + 1) else {
            throw Unexpected(text: "one more")
        }
        #expect(error.code == .badJSON)
    }

    @Test func `nesting is at most 64; the request counts as 1`() throws {
        func line(_ depth: Int) -> String {
            #"{"op":"stats","x":"# + String(repeating: "[", count: depth)
                + String(repeating: "]", count: depth) + "}"
        }
        guard case .operation(.stats) = try decode(line(63)).body else {
            throw Unexpected(text: "64")
        }
        guard case .refusal(let error) = try decode(line(64)).body else {
            throw Unexpected(text: "65")
        }
        #expect(error.code == .badJSON)
    }

    // MARK: send

    @Test func `a send has the protocol's defaults`() throws {
        guard
            case .send(let send) = try operation(
                #"{"op":"send","to":"counter/c","event":"increment"}"#)
        else { throw Unexpected(text: "no send") }
        #expect(send.to.text == "counter/c")
        #expect(String(decoding: send.eventText, as: UTF8.self) == #""increment""#)
        #expect(send.dedup == nil && send.expect == nil)
        #expect(send.create == .ifAbsent && send.reply == .minimal)
        #expect(send.settle == .none)
        guard case .decoded(let event) = send.event else { throw Unexpected(text: "event") }
        #expect(try event.canonicalText() == Array(#""increment""#.utf8))
    }

    @Test(arguments: [
        (#""expect":0"#, Send.Expectation.version(0)), (#""expect":41"#, .version(41)),
        (#""expect":"absent""#, .absent), (#""expect":"exists""#, .exists),
    ])
    func `expectations`(member: String, expected: Send.Expectation) throws {
        guard
            case .send(let send) = try operation(
                #"{"op":"send","to":"counter/c","event":"increment",\#(member)}"#)
        else { throw Unexpected(text: member) }
        #expect(send.expect == expected)
    }

    @Test func `modes of creation and reply, in any order of members, with names escaped`() throws {
        guard
            case .send(let send) = try operation(
                #"{"reply":"full","unknown":[{}],"create":"must","ev\u0065nt":"increment","#
                    + #""settle":"tree","timeout_ms":5,"to":"counter/c","op":"s\u0065nd"}"#)
        else { throw Unexpected(text: "no send") }
        #expect(send.create == .must && send.reply == .full)
        #expect(send.settle == .tree && send.timeout == 5)
        guard
            case .send(let other) = try operation(
                #"{"op":"send","to":"counter/c","event":"increment","create":"never","#
                    + #""reply":"state"}"#)
        else { throw Unexpected(text: "no send") }
        #expect(other.create == .never && other.reply == .state)
    }

    @Test func `an event that isn't the machine's is no error of the line`() throws {
        guard
            case .send(let send) = try operation(
                #"{"op":"send","to":"counter/c","event":{"type":"add","amount":"x"}}"#),
            case .undecodable(let error) = send.event
        else { throw Unexpected(text: "decodable") }
        #expect(error.path == "$.event.amount")
        guard
            case .send(let unknown) = try operation(
                #"{"op":"send","to":"nothing/c","event":"increment"}"#),
            case .unknownMachine = unknown.event
        else { throw Unexpected(text: "known") }
        #expect(unknown.to.machine == "nothing")
    }

    @Test func `a repeated event has the same meaning`() throws {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        for round in 0..<20_000 {
            let amount = round * 7 % 1_000
            let line =
                #"{"op":"send","to":"counter/c","event":{"type":"add","amount":\#(amount)}}"#
            let decoded = Array(line.utf8).withUnsafeBytes { decoder.decode($0) }
            guard case .operation(.send(let send)) = decoded.body,
                case .decoded(let event) = send.event
            else { throw Unexpected(text: line) }
            let text = #"{"type":"add","amount":\#(amount)}"#
            #expect(String(decoding: send.eventText, as: UTF8.self) == text)
            #expect(try String(decoding: event.canonicalText(), as: UTF8.self) == text)
        }
    }

    @Test func `requests of two turns share no event`() throws {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        func event() throws -> any HostedEvent {
            let line = #"{"op":"send","to":"counter/c","event":"increment"}"#
            let decoded = Array(line.utf8).withUnsafeBytes { decoder.decode($0) }
            guard case .operation(.send(let send)) = decoded.body,
                case .decoded(let event) = send.event
            else { throw Unexpected(text: line) }
            return event
        }
        let (first, second) = (try event(), try event())
        #expect(first === second)
        decoder.endTurn()
        let third = try event()
        #expect(third !== first)
        #expect(try event() === third)
    }

    @Test(arguments: [
        #""expire""#, #"{"type":"expire"}"#, #"{"type":"ex\u0070ire","more":1}"#,
    ])
    func `an internal event is recognized in every spelling`(
        event: String
    ) throws {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        let line = #"{"op":"send","to":"order/o","event":\#(event)}"#
        // The second time it is remembered.
        for _ in 0..<2 {
            let decoded = Array(line.utf8).withUnsafeBytes { decoder.decode($0) }
            guard case .operation(.send(let send)) = decoded.body,
                case .internalOnly(_, let name) = send.event
            else { throw Unexpected(text: line) }
            #expect(name == "expire")
        }
    }

    // MARK: Other ops

    @Test func `create, get, history, stop and delete`() throws {
        guard
            case .create(let create) = try operation(
                #"{"op":"create","to":"order/o","dedup":"k","input":{}}"#)
        else { throw Unexpected(text: "create") }
        #expect(create.input != nil && create.dedup == [0x6B] && create.to.text == "order/o")
        guard case .create(let plain) = try operation(#"{"op":"create","to":"order/o"}"#) else {
            throw Unexpected(text: "create")
        }
        #expect(plain.input == nil && plain.dedup == nil)
        guard case .get(let get) = try operation(#"{"op":"get","to":"order/o","at":3}"#) else {
            throw Unexpected(text: "get")
        }
        #expect(get.at == 3)
        guard
            case .history(let history) = try operation(
                #"{"op":"history","to":"order/o","after":5,"limit":1000}"#)
        else { throw Unexpected(text: "history") }
        #expect(history.after == 5 && history.limit == 1_000)
        guard
            case .stop(let name, let reason) = try operation(
                #"{"op":"stop","to":"order/o","reason":"why"}"#)
        else { throw Unexpected(text: "stop") }
        #expect(name.text == "order/o" && reason == "why")
        guard case .delete = try operation(#"{"op":"delete","to":"order/o"}"#) else {
            throw Unexpected(text: "delete")
        }
        guard case .definitions = try operation(#"{"op":"definitions"}"#) else {
            throw Unexpected(text: "definitions")
        }
    }

    @Test func `list has its filters`() throws {
        guard
            case .list(let list) = try operation(
                #"{"op":"list","machine":"order","prefix":"o-","state":"paid","done":false,"#
                    + #""after":"order/o-1","limit":1}"#)
        else { throw Unexpected(text: "list") }
        #expect(list.machine == "order" && list.prefix == "o-" && list.state == "paid")
        #expect(list.isDone == false && list.after == "order/o-1" && list.limit == 1)
        guard case .list(let all) = try operation(#"{"op":"list"}"#) else {
            throw Unexpected(text: "list")
        }
        #expect(all.machine == nil && all.limit == 100 && all.isDone == nil)
        #expect(all.isOutdated == nil)
        guard case .list(let old) = try operation(#"{"op":"list","outdated":true}"#) else {
            throw Unexpected(text: "list")
        }
        #expect(old.isOutdated == true)
    }

    @Test func `subscribe has its selection, start, credit and policy`() throws {
        guard
            case .subscribe(let subscribe) = try operation(
                #"{"op":"subscribe","sub":"s1","select":{"machine":"order","instance":"o-*","#
                    + #""kind":["output","state"],"type":"invoice.*"},"from":"now","#
                    + #""snapshot":true,"credit":256,"slow":"pause"}"#)
        else { throw Unexpected(text: "subscribe") }
        #expect(subscribe.name == SubscriptionName(Array("s1".utf8)))
        #expect(subscribe.selection.machine?.pattern == "order")
        #expect(subscribe.selection.instance?.pattern == "o-*")
        #expect(subscribe.selection.type?.pattern == "invoice.*")
        #expect(subscribe.selection.kinds == [.output, .state])
        #expect(subscribe.snapshot && subscribe.credit == 256 && subscribe.start == .now)
        guard case .subscribe(let plain) = try operation(#"{"op":"subscribe","sub":"s"}"#) else {
            throw Unexpected(text: "subscribe")
        }
        #expect(plain.selection.kinds == .standard && plain.credit == nil && !plain.snapshot)
        #expect(plain.slow == .pause)
    }

    @Test(arguments: [
        (#""first""#, Subscribe.Start.first), (#""now""#, .now),
        (#"{"after":"\#(zero)12"}"#, .after(Cursor(sequence: 12))),
        (#"{"after":"\#(zero)12.3"}"#, .after(Cursor(sequence: 12, index: 3))),
        (#"{"after":"nonsense"}"#, .nonsense), (#"{"after":""}"#, .nonsense),
        (#"{"after":"AAAAAAAAAAAAAAAAAAAAAA9.x"}"#, .nonsense),
        (#"{"after":"AAAAAAAAAAAAAAAAAAAAA/9"}"#, .nonsense),
        (#"{"after":"BAAAAAAAAAAAAAAAAAAAAA9.1"}"#, .foreign),
        (#"{"after":"BAAAAAAAAAAAAAAAAAAAAA9"}"#, .foreign),
    ])
    func `a subscription has its start`(from: String, start: Subscribe.Start) throws {
        guard
            case .subscribe(let subscribe) = try operation(
                #"{"op":"subscribe","sub":"s","from":\#(from)}"#)
        else { throw Unexpected(text: from) }
        #expect(subscribe.start == start)
    }

    @Test func `slow policies`() throws {
        guard
            case .subscribe(let conflate) = try operation(
                #"{"op":"subscribe","sub":"s","select":{"kind":["state"]},"slow":"conflate"}"#),
            case .subscribe(let disconnect) = try operation(
                #"{"op":"subscribe","sub":"s","slow":"disconnect","credit":0}"#)
        else { throw Unexpected(text: "slow") }
        #expect(conflate.slow == .conflate)
        #expect(disconnect.slow == .disconnect && disconnect.credit == 0)
    }

    @Test func `credit and unsubscribe name a subscription`() throws {
        guard case .credit(let name, 5) = try operation(#"{"op":"credit","sub":"ä","n":5}"#),
            case .unsubscribe(let other) = try operation(#"{"op":"unsubscribe","sub":"\u00e4"}"#)
        else { throw Unexpected(text: "credit") }
        #expect(name == other)
    }

    @Test func `hello and ping are the connection's`() throws {
        guard
            case .hello(isOrderStrict: true, .shown(nil)) = try decode(
                #"{"op":"hello","proto":1,"client":"c","token":"t","order":"strict"}"#
            ).body,
            case .hello(isOrderStrict: false, .missing) = try decode(#"{"op":"hello"}"#).body,
            case .ping(let echo?, withHealth: false) = try decode(#"{"op":"ping","t":{"a": 1.50}}"#)
                .body,
            case .ping(nil, withHealth: false) = try decode(#"{"op":"ping"}"#).body
        else { throw Unexpected(text: "hello") }
        #expect(String(decoding: echo, as: UTF8.self) == #"{"a": 1.50}"#)
    }
}
