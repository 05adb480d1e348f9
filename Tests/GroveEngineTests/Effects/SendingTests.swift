import OrderedJSON
import Testing

@testable import GroveEngine

@Suite("Sends and children of hosted machines")
struct SendingTests {
    @Test func `a send is in the commit of the step that asks for it`() throws {
        let bench = try EffectBench()
        try bench.plan(.send(to: "lab/b", note: "hello", after: 0))
        #expect(try bench.log(of: "lab/b") == ["hello"])
        #expect(try bench.rows() == [])
    }

    @Test func `a delayed send arrives once, at its time, also after a crash`() throws {
        let bench = try EffectBench()
        try bench.plan(.send(to: "lab/b", note: "hello", after: 100))
        try bench.advance(by: 99)
        #expect(try !bench.exists("lab/b"))
        try bench.restart()
        try bench.advance(by: 1)
        try bench.restart()
        try bench.advance(by: 1_000)
        #expect(try bench.log(of: "lab/b") == ["hello"])
    }

    @Test(arguments: [
        ("lab/b", "lab/b is done"), ("nobody/b", "there is no machine nobody"),
        ("nonsense", "is no machine/instance"),
    ])
    func `a send that is refused has failed`(target: String, reason: String) throws {
        let bench = try EffectBench()
        try bench.send(.end(nil), to: "lab/b")
        try bench.plan(.send(to: target, note: "hello", after: 0))
        #expect(try bench.rows() == ["failed -"])
        #expect(bench.takeNotes().last?.contains(reason) == true)
    }

    @Test func `an instance may send to itself`() throws {
        let bench = try EffectBench()
        try bench.plan(.send(to: "lab/a", note: "me", after: 0))
        #expect(try bench.log() == ["me"])
        #expect(try bench.rows() == [])
    }

    @Test func `a chain of sends through a thousand instances ends`() throws {
        let bench = try EffectBench()
        for number in 0..<1_000 {
            try bench.plan(
                .send(to: "lab/i\(number + 1)", note: "from \(number)", after: 5),
                at: "lab/i\(number)")
        }
        try bench.advance(by: 5)
        #expect(try bench.log(of: "lab/i1000") == ["from 999"])
        #expect(try bench.log(of: "lab/i1") == ["from 0"])
    }

    @Test func `a child's result becomes an event of its parent`() throws {
        let bench = try EffectBench()
        try bench.plan(.start("lab", id: "kid", instance: "k", note: "born", detached: false))
        #expect(try bench.log(of: "lab/k") == ["born"])
        #expect(try bench.rows() == ["child kid"])
        try bench.restart()
        try bench.send(.end(nil), to: "lab/k")
        #expect(try bench.log() == [#"got "the end""#])
        #expect(try bench.rows() == [])
    }

    @Test func `a child without an explicit name gets its parent's`() throws {
        let bench = try EffectBench()
        try bench.plan(.start("lab", id: "kid", instance: nil, note: nil, detached: false))
        #expect(try bench.exists("lab/a~2"))
    }

    @Test func `children of children are of the same family`() throws {
        let bench = try EffectBench()
        let start = Lab.Plan.start("lab", id: "kid", instance: nil, note: nil, detached: false)
        try bench.plan(start)
        try bench.plan(start, at: "lab/a~2")
        #expect(try bench.exists("lab/a~3"))
    }

    @Test func `the name of a child is never used again, even after a delete and create`() throws {
        let bench = try EffectBench()
        let start = Lab.Plan.start("lab", id: "kid", instance: nil, note: nil, detached: false)
        let parent = try #require(InstanceName("lab/a"))
        for kid in ["lab/a~2", "lab/a~4", "lab/a~6"] {
            try bench.plan(start)
            #expect(try bench.exists(kid))
            #expect(try bench.rows() == ["child kid"])
            try bench.ask(.delete(parent))
            try bench.settle()
        }
    }

    @Test func `shortened names don't collide`() throws {
        let bench = try EffectBench()
        let long = String(repeating: "n", count: 199)
        for last in ["x", "y"] {
            let parent = "lab/\(long)\(last)"
            try bench.plan(
                .start("lab", id: "kid", instance: nil, note: nil, detached: false), at: parent)
            #expect(try bench.rows(of: parent) == ["child kid"])
        }
        let family = String(repeating: "n", count: Limits.familyBytesMax)
        for number in [2, 4] {
            let kid = try #require(InstanceName("lab/\(family)~\(number)"))
            #expect(try bench.exists(kid.text))
            #expect(kid.family == family)
        }
        #expect(try #require(InstanceName("lab/\(long)x")).family == family)
        #expect("lab/\(family)~\(Int64.max)".utf8.count == 4 + Limits.instanceNameBytesMax)
    }

    @Test func `names that are in use are skipped, however many`() throws {
        let bench = try EffectBench()
        let start = Lab.Plan.start("lab", id: "kid", instance: nil, note: nil, detached: false)
        for number in 5...6 { try bench.send(.note("mine"), to: "lab/a~\(number)") }
        for number in 3...4 { try bench.send(.note("x"), to: "lab/x\(number)") }
        try bench.plan(start)
        let kid = try child(of: "lab/a", in: bench)
        #expect(kid.name.instance.hasPrefix("a~") && kid.number.value >= 7)
        #expect(kid.name.instance == "a~\(kid.number.value)", "its number is nobody else's")
        #expect(try bench.log(of: "lab/a~6") == ["mine"])
        // More names are taken than are tried: each later try skips more of them.
        let most = 4 * Limits.childNameTriesMax
        let first = Int(kid.number.value) + most
        for number in first..<(first + most) {
            try bench.send(.note("mine"), to: "lab/b~\(number)")
        }
        try bench.plan(start, at: "lab/b")
        let other = try child(of: "lab/b", in: bench)
        #expect(other.name.instance == "b~\(other.number.value)")
        #expect(other.number.value >= first + most)
        try bench.plan(start, at: "lab/c")
        #expect(try child(of: "lab/c", in: bench).number > other.number)
    }

    /// The child of an instance that has one effect.
    private func child(of parent: String, in bench: EffectBench) throws -> StoredInstance {
        let name = try #require(InstanceName(parent))
        let stored = try #require(try bench.store.instance(named: name))
        let row = try #require(try bench.store.effects(of: stored.number).first)
        let kid = try #require(row.body.child.flatMap { InstanceName($0) })
        return try #require(try bench.store.instance(named: kid))
    }

    @Test func `a child that a client stops has failed`() throws {
        let bench = try EffectBench()
        try bench.plan(.start("lab", id: "kid", instance: "k", note: nil, detached: false))
        let child = try #require(InstanceName("lab/k"))
        try bench.ask(.stop(child, reason: "enough"))
        #expect(try bench.log() == ["kid failed: lab/k was stopped: enough"])
    }

    @Test func `a child ends with its parent, by cancel, end, stop and delete`() throws {
        let bench = try EffectBench()
        let parent = try #require(InstanceName("lab/a"))
        let ends: [(EffectBench) throws -> Void] = [
            { try $0.plan(.cancel("kid")) },
            { try $0.ask(.stop(parent, reason: nil)) },
            { try $0.ask(.delete(parent)) },
            { try $0.send(.end(nil)) },
        ]
        for (number, end) in ends.enumerated() {
            let kid = "k\(number)"
            if number != 3 { try bench.ask(.delete(parent)) }
            try bench.plan(.start("lab", id: "kid", instance: kid, note: nil, detached: false))
            try end(bench)
            try bench.settle()
            #expect(try bench.state(of: "lab/\(kid)").log == [])
            let name = try #require(InstanceName("lab/\(kid)"))
            let stored = try #require(try bench.store.instance(named: name))
            #expect(stored.isDone, "\(number)")
        }
        #expect(try bench.store.effects(after: nil, limit: 10).isEmpty)
    }

    @Test func `a detached child lives on`() throws {
        let bench = try EffectBench()
        try bench.plan(.start("lab", id: "kid", instance: "k", note: nil, detached: true))
        try bench.send(.end(nil))
        try bench.settle()
        try bench.send(.note("alive"), to: "lab/k")
        #expect(try bench.log(of: "lab/k") == ["alive"])
    }

    @Test func `a child with a name in use isn't started`() throws {
        let bench = try EffectBench()
        try bench.send(.note("first"), to: "lab/k")
        try bench.plan(.start("lab", id: "kid", instance: "k", note: "x", detached: false))
        #expect(try bench.log() == ["kid failed: lab/k exists already"])
        #expect(try bench.log(of: "lab/k") == ["first"])
    }
}
