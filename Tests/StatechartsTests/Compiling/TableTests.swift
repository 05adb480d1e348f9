import Testing

@testable import Statecharts

/// The tables that transitions are selected by.
struct TableTests {
    @Test func `an event matches exact names, prefixes of whole words, and everything`() {
        var table = DescriptorTable()
        let exact = table.intern("foo.bar")
        let prefix = table.intern("foo.*")
        let other = table.intern("fo.*")
        #expect(table.intern("*") == DescriptorTable.everything)
        #expect(table.intern("foo.bar") == exact)
        let matched: DescriptorTable.Match = table.match("foo.bar")
        #expect(matched.exact == exact)
        #expect(matched.contains(prefix))
        #expect(matched.contains(DescriptorTable.everything))
        #expect(!matched.contains(other))
        #expect(table.match("foo").contains(prefix))
        #expect(table.match("foo.bar.bat").contains(prefix))
        #expect(!table.match("foobar").contains(prefix))
        #expect(table.match("unknown").exact == -1)
    }

    @Test func `names are equal if their bytes are`() {
        var table = DescriptorTable()
        let composed = table.intern("b\u{fc}hne")
        let apart = table.intern("bu\u{308}hne")
        let prefix = table.intern("a.*")
        #expect(composed != apart)
        #expect(table.match("b\u{fc}hne").exact == composed)
        #expect(table.match("bu\u{308}hne").exact == apart)
        #expect(table.match("a.\u{301}b").contains(prefix), "the point is a scalar of its own")
    }

    @Test func `the transitions of a state are found in document order across descriptors`() {
        var descriptors = DescriptorTable()
        var table = EventTable()
        let exact = descriptors.intern("a.b")
        table.append(descriptors.intern("*"), 5)
        table.append(exact, 2)
        table.append(exact, 9)
        table.append(descriptors.intern("a.*"), 4)
        table.append(descriptors.intern("z"), 1)
        table.sort()
        var found: [Int32] = []
        var previous: Int32 = -1
        while let next = table.next(after: previous, descriptors.match("a.b")) {
            found.append(next)
            previous = next
        }
        #expect(found == [2, 4, 5, 9])
        #expect(table.next(after: -1, descriptors.match("other")) == 5)
    }

    @Test func `an entry set is in document order without repetition`() {
        var set = EntrySet()
        for state: Int32 in [4, 1, 9, 4, 2] { set.insert(state) }
        #expect(set.states == [1, 2, 4, 9])
        #expect(set.contains(anyOf: 3...4))
        #expect(!set.contains(anyOf: 5...8))
    }

    /// `machine(0): a(1): b(2), c(3); p(4, parallel): q(5): r(6); s(7)`
    private func tree() throws -> Chart {
        try Chart(
            parsing: Array(
                #"""
                {"initial":"a","states":{
                  "a":{"initial":"b","states":{"b":{},"c":{}},
                       "on":{"in":".c","out":{"target":".c","reenter":true}}},
                  "p":{"type":"parallel","on":{"in":".q"},
                       "states":{"q":{"initial":"r","states":{"r":{}}},"s":{}}}}}
                """#.utf8))
    }

    @Test func `descendants are ranges of numbers`() throws {
        let states: [StateNode] = try tree().states
        #expect(states.map(\.key) == ["", "a", "b", "c", "p", "q", "r", "s"])
        #expect(states.isDescendant(3, of: 1))
        #expect(!states.isDescendant(1, of: 1))
        #expect(!states.isDescendant(4, of: 1))
        #expect(states.commonAncestor(2, 3) == 1)
        #expect(states.commonAncestor(6, 7) == 4)
        #expect(states.commonAncestor(2, 7) == 0)
        #expect(states.commonAncestor(1, 2) == 1)
        let children = ChildTable(states)
        #expect(children[4, "q"] == 5)
        #expect(children.state(atPath: "p.q.r", in: states) == 6)
        #expect(children.state(atPath: "p.r", in: states) == nil)
    }

    @Test func `the domain is the source only for an internal transition of a compound state`()
        throws
    {
        let chart = try tree()
        let transitions: [Transition] = chart.transitions
        #expect(transitions.map(\.domain) == [1, 0, 0])
    }
}
