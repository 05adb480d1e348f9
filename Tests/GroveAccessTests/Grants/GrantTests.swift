import GroveTestSupport
import GroveWire
import Testing

@testable import GroveAccess

@Suite("Grant")
struct GrantTests {
    @Test func `grants are equal if their bytes are`() throws {
        let composed = try Grant("send(\u{e9}) a/*")
        let apart = try Grant("send(e\u{301}) a/*")
        #expect(composed != apart && Set([composed, apart, composed]).count == 2)
    }

    @Test(arguments: [
        "send order/*", "send,read cart/{principal}-*", "read,subscribe order/*",
        "send(place,pay) order/*", "send(?x,order.*) a*/b?", "manage order/o-1", "define door/*",
        "send,read,subscribe,manage,define */*", "admin */*",
        "send,read,subscribe,manage,define,admin */*", "send(größe) a/b", "read */._:@~+=,-*?",
        "read Counter.v2_x-1/{principal}{principal}",
    ])
    func `grants that are read, and how they are written`(text: String) throws {
        let sorted = text == "send(place,pay) order/*" ? "send(pay,place) order/*" : text
        #expect(try "\(Grant(text))" == sorted)
    }

    @Test func `the parts of a grant`() throws {
        let grant = try Grant("send(place,pay) order/{principal}-*")
        #expect(grant.verbs == VerbSet(.send))
        #expect(grant.eventTypes.map(\.pattern) == ["pay", "place"])
        #expect(grant.machine.pattern == "order")
        #expect(grant.instance == "{principal}-*")
        #expect(grant.instances(of: try PrincipalName("shop")).pattern == "shop-*")
    }

    @Test func `another order and more stars are the same grant`() throws {
        #expect(try Grant("read,send a**/***") == Grant("send,read a*/*"))
        #expect(try Grant("send(b,a**) a/b") == Grant("send(a*,b) a/b"))
        #expect(try Grant("admin **/**") == Grant("admin */*"))
        #expect(try Grant("send a/b") != Grant("send(*) a/b"))
    }

    @Test(arguments: [
        ("", 0, "a verb must stand here"), (" send a/b", 0, "a verb must stand here"),
        ("write a/b", 0, "'write' is no verb"), ("Send a/b", 0, "a verb must stand here"),
        ("send,,read a/b", 5, "a verb must stand here"), ("send, read a/b", 5, "a verb must"),
        ("send,send a/b", 5, "send stands here twice"), ("send", 4, "a blank and machine/instance"),
        ("send\ta/b", 4, "a blank and"), ("sendx a/b", 0, "'sendx' is no verb"),
        ("send;read a/b", 4, "a blank and"), ("send  a/b", 5, "a machine's name or a pattern"),
        ("send ", 5, "a machine's name or a pattern"), ("send a", 6, "write 'a/*' for all"),
        ("send a/", 7, "an instance's name or a pattern"), ("send /b", 5, "a machine's name or"),
        ("send a b", 6, "no machine's name has this byte"),
        ("send a/b ", 8, "nothing may follow"), ("send a/b/c", 8, "no instance's name has"),
        ("send a/b,read c/d", 13, "nothing may follow"), ("send 1a/b", 5, "begins with a letter"),
        ("send a/é", 7, "no instance's name has"), ("send é/b", 5, "a machine's name or"),
        ("send {principal}/b", 5, "only in the instance part"),
        ("send a{principal}/b", 6, "only in the instance part"),
        ("send a/{principals}", 7, "braces stand only in {principal}"),
        ("send a/{Principal}", 7, "braces stand only in"),
        ("send a/}", 7, "no instance's name has"),
        ("send() a/b", 5, "an event type must stand here"),
        ("send(a,) a/b", 7, "an event type must stand"), ("send(a a/b", 6, "a comma or ')'"),
        ("send(a b) a/b", 6, "a comma or ')'"), ("send(a,a) a/b", 7, "stands here twice"),
        ("send(a,*,**) a/b", 9, "stands here twice"), ("send(a)a/b", 7, "a blank and"),
        ("send(a) (b) a/b", 8, "a machine's name or"), ("read(a) a/b", 4, "narrow only send, as"),
        ("send,read(a) a/b", 9, "give the other verbs a grant of their own"),
        ("send(a),read a/b", 7, "a blank and"), ("admin order/*", 6, "write 'admin */*'"),
        ("admin */x", 6, "write 'admin */*'"), ("read,admin a/*", 11, "write 'admin */*'"),
        ("define door/front", 12, "write 'define door/*'"),
        ("define,read d*/{principal}", 15, "write 'define d*/*'"),
    ])
    func `a fault is named with its offset and with what to write`(
        text: String, offset: Int, message: String
    ) {
        do throws(GrantTextError) {
            Issue.record("read as \(try Grant(text))")
        } catch {
            #expect(error.offset == offset, "\(error)")
            #expect(error.message.contains(message), "\(error)")
            #expect("\(error)" == "\(error.message) (byte \(offset))")
        }
    }

    @Test func `grants have bounds`() throws {
        func offset(_ text: String) -> Int? {
            do throws(GrantTextError) {
                _ = try Grant(text)
                return nil
            } catch {
                return error.offset
            }
        }
        let machine = String(repeating: "m", count: 64)
        #expect(offset("read \(machine)/*") == nil)
        #expect(offset("read \(machine)m/*") == 69)
        let instance = String(repeating: "i", count: 200)
        #expect(offset("read a/\(instance)") == nil)
        #expect(offset("read a/\(instance)i") == 207)
        let type = String(repeating: "t", count: 200)
        #expect(offset("send(\(type)) a/b") == nil)
        #expect(offset("send(\(type)t) a/b") == 205)
        let types = (1...32).map { "t\($0)" }.joined(separator: ",")
        #expect(offset("send(\(types)) a/b") == nil)
        #expect(offset("send(\(types),t33) a/b") == 6 + types.utf8.count)
        #expect(offset(String(repeating: "send,", count: 300)) == 1_024)
        let five = (1...5).map { String(type.dropLast()) + "\($0)" }.joined(separator: ",")
        let text = "send(\(five)) a/"
        let room = 1_024 - text.utf8.count
        #expect(offset(text + String(repeating: "b", count: room)) == nil)
        #expect(offset(text + String(repeating: "b", count: room + 1)) == 1_024)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `writing and reading gives the same grant`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'gives the same grant'")
        var maker = GrantMaker(seed: seed)
        for _ in 0..<200 {
            let model = maker.grant()
            let grant = try Grant(model.text)
            #expect(grant.verbs.verbs.map(\.rawValue) == model.verbs)
            #expect(grant.eventTypes.map(\.pattern) == model.types)
            #expect(grant.machine.pattern == model.machine)
            #expect(grant.instance == model.instance)
            #expect(grant.description == model.text)
            #expect(try Grant(grant.description) == grant)
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `no text traps, and what is read is canonical`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'what is read is canonical'")
        var random = SeededRandom(seed: seed)
        let parts = [
            "send", "read", "admin", "define", ",", "(", ")", " ", "/", "*", "?", "a", "1", "{",
            "}", "{principal}", "é", "\0", "\u{1F600}", "-",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...9, using: &random)
            let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            switch Result(catching: { () throws(GrantTextError) in try Grant(text) }) {
            case .success(let grant): #expect(try Grant(grant.description) == grant)
            case .failure(let error):
                #expect((0...text.utf8.count).contains(error.offset), "\(text): \(error)")
            }
        }
    }
}
