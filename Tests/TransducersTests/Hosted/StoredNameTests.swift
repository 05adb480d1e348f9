import OrderedJSON
import Testing

@testable import Transducers

/// Names of effects as a server stores them: text and type.
@Suite("StoredName")
struct StoredNameTests {
    enum ReminderID: EffectID { case main, other }
    private enum HiddenID: EffectID { case main }
    struct Box<Content: Hashable & Sendable>: EffectID { var content: Content }

    private func key(_ id: some Hashable & Sendable, scopes: [any Hashable & Sendable] = [])
        -> HostedKey
    {
        HostedKey(EffectKey(scopes: scopes.map { AnyKey($0) }, base: AnyKey(id)))
    }

    private func json(_ value: some Encodable) throws -> String {
        var writer = JSONWriter()
        try JSONCoding.encode(value, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `texts and integers are stored as they always were`() throws {
        #expect(try json(key("t")) == #"{"scopes":[],"id":"t"}"#)
        #expect(try json(key(7, scopes: ["cart"])) == #"{"scopes":["cart"],"id":"7"}"#)
        #expect(
            try json(key("t", scopes: [PairSide.first])) == #"{"scopes":["first"],"id":"t"}"#)
        let selector = try HostedSelector(EffectSelector.id("t"))
        #expect(try json(selector) == #"{"scopes":[],"choice":{"type":"id","value":"t"}}"#)
    }

    @Test func `other names are stored with their types, without module and place`() throws {
        #expect(
            try json(key(ReminderID.main))
                == #"{"scopes":[],"id":"main","types":["StoredNameTests.ReminderID"]}"#)
        #expect(key(HiddenID.main).types == ["StoredNameTests.HiddenID"])
        #expect(key("t", scopes: [ReminderID.main]).types == ["StoredNameTests.ReminderID", ""])
        #expect(key(ReminderID.main, scopes: ["cart"]).text == "cart/main")
        enum LocalID: EffectID { case main }
        #expect(key(LocalID.main).types?[0].contains("LocalID") == true)
        #expect(key(LocalID.main).types?[0].contains("$") == false)
    }

    @Test func `a long name of a type is stored as its hash`() {
        let box = Box(content: Box(content: Box(content: ReminderID.main)))
        let types = key(box).types
        #expect(types?.first?.utf8.count == 16)
        #expect(types == key(box).types)
    }

    @Test func `a scope is recognised by text and type, or by the text of an earlier row`() {
        let scope = AnyKey(ReminderID.main)
        #expect(scope.isStored(as: AnyKey("main")))
        #expect(!scope.isStored(as: AnyKey("other")))
        let type = "StoredNameTests.ReminderID"
        #expect(scope.isStored(as: StoredName.key("main", type: type)))
        #expect(!scope.isStored(as: StoredName.key("main", type: "Other")))
        #expect(!AnyKey("main").isStored(as: StoredName.key("main", type: type)))
        let ended = AnyKey(EndedScope(part: scope))
        #expect(ended.isStored(as: StoredName.key("main (ended)", type: type)))
    }

    @Test func `a selector selects names of its type, and those without types`() throws {
        let selector = try HostedSelector(EffectSelector.id(ReminderID.main))
        #expect(selector.includes(key(ReminderID.main)))
        #expect(!selector.includes(key(HiddenID.main)))
        #expect(!selector.includes(key(ReminderID.other)))
        #expect(selector.includes(HostedKey(id: "main")))
        #expect(try !HostedSelector(EffectSelector.id("main")).includes(key(ReminderID.main)))
        #expect(try HostedSelector(EffectSelector.prefix("ma")).includes(key(ReminderID.main)))
        var all = EffectSelector.all
        all.scopes = [AnyKey(ReminderID.main)]
        let inScope = try HostedSelector(all)
        #expect(inScope.includes(key("t", scopes: [ReminderID.main])))
        #expect(!inScope.includes(key("t", scopes: [HiddenID.main])))
        #expect(inScope.includes(HostedKey(scopes: ["main"], id: "t")))
    }
}
