import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@Suite("suspend and resume")
struct EngineHoldsTests {
    private func subject(_ text: String) throws -> HoldSubject {
        try #require(HoldSubject(text: text))
    }

    private func suspend(_ bench: EffectBench, _ text: String) throws -> String {
        try bench.ask(.suspend(subject(text), reason: "why")).summary
    }

    private func resume(_ bench: EffectBench, _ text: String) throws -> String {
        try bench.ask(.resume(subject(text))).summary
    }

    private func held(_ reply: Reply) -> String? {
        guard case .failure(.held(let subject, let kind)) = reply else { return nil }
        return "\(subject.text) \(kind.word)"
    }

    @Test(arguments: ["lab/a", "lab"])
    func `a suspended instance refuses events until it is resumed`(
        text: String
    ) throws {
        let bench = try EffectBench()
        try bench.send(.note("before"))
        #expect(try suspend(bench, text).hasSuffix("changed=true"))
        #expect(try held(bench.send(.note("meanwhile"))) == "\(text) suspended")
        #expect(try bench.log() == ["before"])
        #expect(try bench.got("lab/a").held == .suspended)
        #expect(try resume(bench, text).hasSuffix("changed=true"))
        try bench.send(.note("after"))
        #expect(try bench.log() == ["before", "after"])
        #expect(try bench.got("lab/a").held == nil)
    }

    @Test func `a suspended instance leaves others alone, a suspended machine holds new ones too`()
        throws
    {
        let bench = try EffectBench()
        try bench.send(.note("x"))
        _ = try suspend(bench, "lab/a")
        try bench.send(.note("x"), to: "lab/b")
        #expect(try bench.log(of: "lab/b") == ["x"])
        _ = try resume(bench, "lab/a")
        _ = try suspend(bench, "lab")
        #expect(try held(bench.send(.note("x"), to: "lab/new")) == "lab suspended")
        let create = Create(
            to: try #require(InstanceName("lab/new")), input: nil, dedup: nil)
        #expect(try held(bench.ask(.create(create))) == "lab suspended")
        #expect(try !bench.exists("lab/new"))
    }

    @Test(arguments: ["lab/a", "lab"])
    func `timers sleep during a suspension, and fire after it or at their time`(
        text: String
    ) throws {
        let bench = try EffectBench()
        try bench.plan(
            .after(100, id: "t", note: "late"), .after(90_000, id: "u", note: "on time"))
        _ = try suspend(bench, text)
        try bench.advance(by: 60_000)
        #expect(try bench.log() == [])
        #expect(bench.engine.nextDue != nil, "the other timer is still to come")
        _ = try resume(bench, text)
        try bench.settle()
        #expect(try bench.log() == ["late"])
        try bench.advance(by: 30_000)
        #expect(try bench.log() == ["late", "on time"])
    }

    @Test func `sleeping effects cost nothing: none is due`() throws {
        let bench = try EffectBench()
        for number in 0..<300 {
            try bench.plan(.after(100, id: "t", note: "n"), at: "lab/i\(number)")
        }
        _ = try suspend(bench, "lab")
        try bench.advance(by: 1_000)
        #expect(bench.engine.nextDue == nil)
        _ = try resume(bench, "lab")
        try bench.settle()
        for number in [0, 150, 299] { #expect(try bench.log(of: "lab/i\(number)") == ["n"]) }
    }

    @Test(arguments: [true, false])
    func `sleeping effects of a machine wake after a restart and a resume`(
        isResumedFirst: Bool
    ) throws {
        let bench = try EffectBench()
        for number in 0..<300 {
            try bench.plan(.after(100, id: "t", note: "n"), at: "lab/i\(number)")
        }
        _ = try suspend(bench, "lab")
        try bench.advance(by: 1_000)
        if isResumedFirst { _ = try resume(bench, "lab") }
        try bench.restart()
        try bench.settle()
        if !isResumedFirst {
            #expect(try held(bench.send(.note("x"), to: "lab/i0")) == "lab suspended")
            _ = try resume(bench, "lab")
            try bench.settle()
        }
        for number in [0, 150, 299] { #expect(try bench.log(of: "lab/i\(number)") == ["n"]) }
    }

    @Test func `an instance that is held twice sleeps until both holds end`() throws {
        let bench = try EffectBench()
        try bench.plan(.after(100, id: "t", note: "n"))
        _ = try suspend(bench, "lab")
        _ = try suspend(bench, "lab/a")
        try bench.advance(by: 1_000)
        _ = try resume(bench, "lab/a")
        try bench.settle()
        #expect(try bench.log() == [])
        _ = try suspend(bench, "lab/a")
        _ = try resume(bench, "lab")
        try bench.settle()
        #expect(try bench.log() == [])
        _ = try resume(bench, "lab/a")
        try bench.settle()
        #expect(try bench.log() == ["n"])
    }

    @Test(arguments: [
        EffectReport.Outcome.completed(.integer(7)),
        .failed(reason: "no", isPermanent: true),
    ])
    func `the result of a handler is kept, and applied after the resume`(
        outcome: EffectReport.Outcome
    ) throws {
        let bench = try EffectBench()
        try bench.plan(.perform("work", id: "w", then: "got", tries: 1, policy: "replace"))
        _ = try suspend(bench, "lab/a")
        try bench.report(outcome)
        #expect(try bench.log() == [])
        try bench.restart()
        try bench.settle()
        #expect(bench.atWork == [], "it isn't done a second time")
        _ = try resume(bench, "lab/a")
        try bench.settle()
        #expect(try bench.log().count == 1)
        #expect(try bench.rows() == [])
    }

    @Test func `a handler that ran when the process ended waits, and runs again`()
        throws
    {
        let bench = try EffectBench()
        try bench.plan(.perform("work", id: "w", then: "got", tries: 1, policy: "replace"))
        _ = try suspend(bench, "lab/a")
        try bench.restart()
        try bench.settle()
        #expect(bench.atWork == [])
        _ = try resume(bench, "lab/a")
        try bench.settle()
        #expect(bench.atWork.count == 1)
        try bench.report(.completed(.integer(7)))
        #expect(try bench.log() == ["got 7"])
    }

    @Test func `an event for a held instance waits with its sender`() throws {
        let bench = try EffectBench()
        try bench.send(.note("here"), to: "lab/b")
        _ = try suspend(bench, "lab/b")
        try bench.plan(.send(to: "lab/b", note: "hello", after: 0))
        try bench.settle()
        #expect(try bench.log(of: "lab/b") == ["here"])
        #expect(try bench.rows() == ["sleeping -"])
        _ = try resume(bench, "lab/b")
        try bench.settle()
        #expect(try bench.log(of: "lab/b") == ["here", "hello"])
        #expect(try bench.rows() == [])
    }

    @Test func `timers of a held instance can be cancelled, and it can be stopped`() throws {
        let bench = try EffectBench()
        try bench.plan(.after(100, id: "t", note: "n"))
        _ = try suspend(bench, "lab/a")
        try bench.advance(by: 1_000)
        let name = try #require(InstanceName("lab/a"))
        guard case .cancelled(let runs, _) = try bench.ask(.cancel(name, .timer("t"))) else {
            throw Problem("not cancelled")
        }
        #expect(runs.count == 1)
        #expect(try bench.rows() == [])
        _ = try bench.ask(.stop(name, reason: nil))
        #expect(try bench.got("lab/a").held == nil)
        _ = try bench.ask(.delete(name))
        try bench.send(.note("anew"))
        #expect(try bench.log() == ["anew"])
    }

    @Test func `a second suspend or resume changes nothing`()
        throws
    {
        let bench = try EffectBench()
        try bench.send(.note("x"))
        #expect(try resume(bench, "lab/a").hasSuffix("changed=false"))
        _ = try suspend(bench, "lab/a")
        #expect(try suspend(bench, "lab/a").hasSuffix("changed=false"))
        #expect(try suspend(bench, "lab/none").hasPrefix("noSuchInstance"))
        #expect(try resume(bench, "lab/none").hasPrefix("noSuchInstance"))
        #expect(try suspend(bench, "none").hasPrefix("noSuchMachine"))
        try bench.send(.end(nil), to: "lab/b")
        #expect(try suspend(bench, "lab/b").hasPrefix("instanceDone"))
    }

    @Test func `a suspension that can't be written has no effect`() throws {
        let store = FullDiskStore()
        let bench = try EffectBench(store: store)
        try bench.send(.note("x"))
        store.isFull = true
        #expect(try suspend(bench, "lab/a").hasPrefix("storageFull"))
        store.isFull = false
        try bench.send(.note("y"))
        #expect(try bench.log() == ["x", "y"])
    }

    @Test func `the number of holds is bounded`() throws {
        let bench = try EffectBench()
        for number in 0..<Limits.holdsMax { try bench.send(.note("x"), to: "lab/i\(number)") }
        let all = try (0..<Limits.holdsMax).map { try subject("lab/i\($0)") }
        _ = try bench.askTogether(all.map { .suspend($0, reason: nil) })
        #expect(try suspend(bench, "lab").hasPrefix("limit"))
        _ = try resume(bench, "lab/i7")
        #expect(try suspend(bench, "lab").hasSuffix("changed=true"))
    }

    @Test func `a retry, a resume, or another version ends set aside`()
        throws
    {
        let bench = try EffectBench()
        let name = try #require(InstanceName("lab/a"))
        try bench.plan(.after(100, id: "t", note: "n"))
        try bench.setAside(.instance(name), version: "1")
        try bench.advance(by: 1_000)
        #expect(try held(bench.send(.note("x"))) == "lab/a set_aside")
        #expect(try bench.log() == [])
        try bench.restart()
        #expect(bench.engine.setAside == [.instance(name)])
        _ = try bench.ask(.retry(name, effect: nil))
        try bench.settle()
        #expect(try bench.log() == ["n"])
        #expect(try bench.ask(.retry(name, effect: nil)).summary.hasPrefix("badRequest"))
        try bench.setAside(.instance(name), version: "0.9")
        #expect(try bench.releaseOutdated() == [.instance(name)])
        try bench.send(.note("x"))
        #expect(try bench.log() == ["n", "x"])
    }

    @Test func `a name without an instance can be set aside, and is listed`() throws {
        let bench = try EffectBench()
        let name = try #require(InstanceName("lab/never"))
        try bench.setAside(.instance(name), version: "1")
        #expect(try held(bench.send(.note("x"), to: "lab/never")) == "lab/never set_aside")
        var list = List()
        list.held = .setAside
        guard case .listed(let items, nil) = try bench.ask(.list(list)) else {
            throw Problem("no list")
        }
        #expect(items.map(\.name) == [name] && items[0].hold?.kind == .setAside)
        _ = try bench.ask(.retry(name, effect: nil))
        try bench.send(.note("x"), to: "lab/never")
        #expect(try bench.log(of: "lab/never") == ["x"])
    }

    @Test func `a repeat to a set-aside instance is answered, if its bytes are equal`()
        throws
    {
        let bench = try EffectBench()
        let name = try #require(InstanceName("lab/a"))
        let first = try bench.makeSend(.note("x"), to: "lab/a", dedup: "k")
        guard case .sent = try bench.ask(.send(first)) else { throw Problem("not sent") }
        let other = try bench.makeSend(.note("y"), to: "lab/a")
        try bench.setAside(.instance(name), version: "1")
        func withheld(_ text: [UInt8], _ key: String) -> Send {
            Send(to: name, event: .withheld, eventText: text, dedup: Array(key.utf8))
        }
        let again = try bench.ask(.send(withheld(first.eventText, "k")))
        guard case .sent(let sent) = again else { throw Problem("\(again)") }
        #expect(sent.isDuplicate && sent.version == 1)
        #expect(try held(bench.ask(.send(withheld(other.eventText, "k")))) != nil)
        #expect(try held(bench.ask(.send(withheld(first.eventText, "l")))) != nil)
    }

    @Test func `a set-aside instance that is then suspended isn't decoded either`()
        throws
    {
        let bench = try EffectBench()
        try bench.send(.note("x"))
        let subject = try subject("lab/a")
        let name = try #require(InstanceName("lab/a"))
        try bench.setAside(subject, version: "0.9")
        _ = try bench.ask(.suspend(subject, reason: nil))
        #expect(bench.engine.setAside == [] && bench.engine.trapped == [subject])
        #expect(try bench.releaseOutdated() == [])
        try bench.setAside(subject, version: "1")
        #expect(try bench.got("lab/a").held == .suspended, "it stays suspended")
        try bench.restart()
        #expect(bench.engine.trapped == [subject])
        #expect(try bench.ask(.retry(name, effect: nil)).summary.hasPrefix("badRequest"))
        #expect(try resume(bench, "lab/a").hasSuffix("changed=true"))
        #expect(bench.engine.trapped == [])
        try bench.send(.note("y"))
        #expect(try bench.log() == ["x", "y"])
    }

    @Test func `a set-aside machine holds all its instances until it is released`()
        throws
    {
        let bench = try EffectBench()
        try bench.plan(.after(100, id: "t", note: "n"))
        try bench.setAside(subject("lab"), version: "1")
        try bench.advance(by: 1_000)
        #expect(try held(bench.send(.note("x"))) == "lab set_aside")
        #expect(try held(bench.send(.note("x"), to: "lab/new")) == "lab set_aside")
        guard case .definitions(let items) = try bench.ask(.definitions()) else {
            throw Problem("no definitions")
        }
        #expect(items.first { $0.definition.name == "lab" }?.definition.held == .setAside)
        let name = try #require(InstanceName("lab/a"))
        #expect(try bench.ask(.retry(name, effect: nil)).summary.contains("resume the machine"))
        try bench.restart()
        #expect(bench.engine.setAside == [.machine("lab")])
        #expect(try resume(bench, "lab").hasSuffix("changed=true"))
        try bench.settle()
        #expect(try bench.log() == ["n"])
        try bench.setAside(subject("lab"), version: "0.9")
        #expect(try bench.releaseOutdated() == [.machine("lab")])
        #expect(bench.engine.setAside == [])
    }

    @Test func `an event for a set-aside instance isn't read before it sleeps`() throws {
        let quiet = Definition(Quiet.self, named: "quiet", version: "1")
        let bench = try EffectBench(EffectBench.definitions + [quiet])
        try bench.setAside(subject("quiet/q"), version: "1")
        // No event of that machine: reading it would fail.
        try bench.plan(.send(to: "quiet/q", note: "hello", after: 0))
        try bench.settle()
        #expect(try bench.rows() == ["sleeping -"])
        _ = try resume(bench, "quiet/q")
        try bench.settle()
        #expect(try bench.rows() == ["failed -"])
    }

    @Test func `a damaged sleeping effect doesn't affect the others of its subject`()
        throws
    {
        let store = DamagedSleeperStore()
        let bench = try EffectBench(store: store)
        for number in 0..<3 {
            try bench.plan(.after(100, id: "t", note: "n"), at: "lab/i\(number)")
        }
        _ = try suspend(bench, "lab")
        try bench.advance(by: 1_000)
        _ = try resume(bench, "lab")
        store.isDamaged = true
        try bench.restart()
        try bench.settle()
        #expect(try bench.log(of: "lab/i0") == [])
        for number in [1, 2] { #expect(try bench.log(of: "lab/i\(number)") == ["n"]) }
        #expect(bench.engine.nextDue == nil, "it isn't looked at again and again")
    }

    @Test func `without room on the disk, set aside lasts until the process ends`() throws {
        let store = FullDiskStore()
        let bench = try EffectBench(store: store)
        try bench.plan(.after(100, id: "t", note: "n"))
        store.isFull = true
        let subject = try subject("lab/a")
        try bench.setAside(subject, version: "1")
        #expect(bench.engine.trapped == [])
        bench.setAsideForNow(subject)
        #expect(bench.engine.setAside == [subject])
        #expect(try held(bench.send(.note("x"))) == "lab/a set_aside")
        store.isFull = false
        try bench.advance(by: 60_000)
        #expect(try bench.log() == [])
        #expect(bench.engine.setAside == [subject])
        _ = try resume(bench, "lab/a")
        try bench.settle()
        #expect(try bench.log() == ["n"])
    }
}

/// A store whose disk is full while the test wants it.
private final class FullDiskStore: ForwardingStore {
    var isFull = false

    init() { super.init(MemoryStore()) }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        if isFull { throw .full }
        try super.commit(writes)
    }

    override func probeDiskSpace() throws(StoreError) { if isFull { throw .full } }
}

/// A store whose first sleeping effect can't be read while the test wants it.
private final class DamagedSleeperStore: ForwardingStore {
    var isDamaged = false

    init() { super.init(MemoryStore()) }

    override func handlerQueues() throws(StoreError) -> [String] {
        if isDamaged { throw .corrupt("a lane") }
        return try super.handlerQueues()
    }

    override func soundHandlerQueues() throws(StoreError) -> [String] { try super.handlerQueues() }

    override func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        if isDamaged { throw .corrupt("an effect") }
        return try super.effects(inHandlerQueue: queue, after: after, limit: limit)
    }

    override func soundEffects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        var found = SoundEffects()
        for ref in try super.effects(inHandlerQueue: queue, after: after, limit: limit) {
            if ref.instance.value == 1 { found.damaged.append(ref) } else { found.refs.append(ref) }
        }
        return found
    }
}
