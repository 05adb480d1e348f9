import GroveTestSupport
import GroveWire
import Testing

@testable import GroveAccess

@Suite("AccessCache")
struct AccessCacheTests {
    /// A table with further grants for every machine: enough that decisions are remembered.
    private func many(_ texts: String..., principal: String = "shop") throws -> GrantTable {
        let grants = try (texts + Self.others).map { try Grant($0) }
        return GrantTable(try PrincipalName(principal), grants)
    }

    private static let others = (1...GrantTable.quickRulesMax).map {
        "send,read */other-\($0)"
    }

    private func ask(
        _ cache: inout AccessCache, _ table: GrantTable, _ verb: Verb, _ name: String,
        _ type: String? = nil
    ) -> Bool {
        withBytes(name) { name in
            withBytes(type) { type in
                cache.allows(verb, AccessTarget(name: name), eventType: type, by: table)
            }
        }
    }

    @Test func `a repeated question is answered from memory`() throws {
        let table = try many("send(x) a/*", "send(z) a/*")
        var cache = AccessCache()
        #expect(cache.capacity == 0)
        #expect(ask(&cache, table, .send, "a/b", "x"))
        #expect(!ask(&cache, table, .send, "a/b", "y"))
        #expect(cache.hits == 0)
        #expect(ask(&cache, table, .send, "a/b", "x"))
        #expect(!ask(&cache, table, .send, "a/b", "y"))
        #expect(cache.hits == 2)
    }

    @Test func `few grants, and grants for everything, are asked each time`() throws {
        var cache = AccessCache()
        let few = try GrantTable.reading("send(x) a/b*", "read a/b*", "send c/*", "read */c")
        let whole = try many("send,read a/*")
        for table in [few, whole] {
            for _ in 0..<3 {
                #expect(ask(&cache, table, .send, "a/b", "x"))
                #expect(ask(&cache, table, .read, "a/b"))
                #expect(!ask(&cache, table, .manage, "a/b"))
            }
        }
        #expect(cache.hits == 0 && cache.capacity == 0)
    }

    @Test func `questions with the same bytes in other places are different`() throws {
        let table = try many("send(x) a/b", "read a/?*")
        var cache = AccessCache()
        for _ in 0..<2 {
            #expect(ask(&cache, table, .send, "a/b", "x"))
            #expect(!ask(&cache, table, .send, "a/bx"))
            #expect(!ask(&cache, table, .send, "a/b"))
            #expect(!ask(&cache, table, .send, "ab", "x"))
            #expect(!ask(&cache, table, .send, "a/b", ""))
            #expect(ask(&cache, table, .read, "a/bx"))
            #expect(!ask(&cache, table, .read, "a"))
            #expect(!ask(&cache, table, .read, "a/"))
            #expect(!ask(&cache, table, .read, "ab"))
        }
    }

    @Test func `other grants forget everything`() throws {
        var cache = AccessCache()
        let before = try many("read a/?*")
        #expect(ask(&cache, before, .read, "a/b"))
        let after = try many("read b/?*")
        #expect(!ask(&cache, after, .read, "a/b"))
        let other = try many("read a/?*", principal: "web")
        #expect(ask(&cache, other, .read, "a/b"))
        #expect(cache.hits == 0)
        #expect(ask(&cache, other, .read, "a/b"))
        #expect(cache.hits == 1)
    }

    @Test func `it grows to its bound and not beyond`() throws {
        let table = try many("read a/?*")
        var cache = AccessCache()
        for number in 0..<1_000 {
            #expect(ask(&cache, table, .read, "a/\(number)"))
            #expect(cache.capacity <= AccessCache.entriesMax)
        }
        #expect(cache.capacity == AccessCache.entriesMax)
        cache.release()
        #expect(cache.capacity == 0)
    }

    @Test func `a long name is decided each time`() throws {
        let table = try many("read a/?*")
        var cache = AccessCache()
        // Four bytes of the key stand before the name, and the slash isn't part of it.
        let longest = String(repeating: "x", count: AccessCache.keyBytesMax - 5)
        for _ in 0..<2 { #expect(ask(&cache, table, .read, "a/\(longest)")) }
        #expect(cache.hits == 1)
        for _ in 0..<2 { #expect(ask(&cache, table, .read, "a/\(longest)x")) }
        #expect(cache.hits == 1)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `it never answers otherwise than the table`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'otherwise than the table'")
        var maker = GrantMaker(seed: seed)
        var cache = AccessCache()
        for _ in 0..<5 {
            let grants = try (0..<16).map { _ in try Grant(maker.grant().text) }
            let table = GrantTable(try PrincipalName("ab"), grants)
            let fresh = GrantTable(try PrincipalName("ab"), grants)
            for _ in 0..<1_000 {
                let verb = maker.pick(Verb.allCases)
                let machine = maker.text(["a", "b"], upTo: 3)
                let instance = maker.bool() ? "/" + maker.text(["a", "b", "~"], upTo: 3) : ""
                let type = maker.bool() ? maker.text(["x", "y"], upTo: 2) : nil
                let found = ask(&cache, table, verb, machine + instance, type)
                #expect(found == fresh.allows(verb, machine + instance, type: type))
            }
        }
        #expect(cache.hits > 0)
    }
}

@Suite("AccessKey")
struct AccessKeyTests {
    @Test func `a key finds its own bytes and no others`() {
        let names = ["a", "a/", "a/b", "ab", "ab/", "b/a", "", "/"]
        let types: [String?] = [nil, "", "a", "b"]
        var written: [(key: String, bytes: [UInt8], count: Int)] = []
        func each(_ body: (String, AccessKey) -> Void) {
            for verb in [Verb.send, .read] {
                for name in names {
                    for type in types {
                        withBytes(name) { bytes in
                            withBytes(type) { type in
                                body(
                                    "\(verb) \(name) \(String(describing: type?.count))"
                                        + "\(type.map { Array($0) } ?? [])",
                                    AccessKey(verb, AccessTarget(name: bytes), type))
                            }
                        }
                    }
                }
            }
        }
        each { text, key in
            var bytes = [UInt8](repeating: 0xFF, count: 32)
            bytes.withUnsafeMutableBytes { key.write(to: $0) }
            written.append((text, bytes, key.count))
        }
        each { text, key in
            for other in written where other.count == key.count {
                let isSame = other.bytes.withUnsafeBytes { key.isWritten(in: $0) }
                #expect(isSame == (text == other.key), "\(text) \(other.key)")
            }
        }
    }
}
