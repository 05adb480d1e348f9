import Testing
import Transducers

/// A ledger whose commands are read as text: `+a` starts a, `+a@2` starts it in two seconds, `-a`
/// cancels it, `~a` drops it unrun.
private struct LedgerLog {
    var ledger = EffectLedger()
    var now = Duration.zero
    var ids: [String: EffectRunID] = [:]
    private var names: [EffectRunID: String] = [:]

    mutating func start(
        _ name: String, id: String? = nil, policy: EffectPolicy = .replace,
        queue: (any EffectQueue)? = nil, rank: Int = 0
    ) -> String {
        let key = id.map { EffectKey($0) } ?? EffectKey.unnamed
        names[EffectRunID(UInt64(ledger.lastNumber + 1))] = name
        return log {
            $0.start(
                key: key, policy: policy, queue: queue.map { QueueKey($0) }, rank: rank,
                now: $1, drawing: $2)
        }
    }

    mutating func end(_ name: String) -> String {
        guard let id = ids[name] else { return "never started" }
        return log { $0.ended(id, now: $1, drawing: $2) }
    }

    mutating func cancel(_ selector: EffectSelector) -> String {
        log { $0.cancel(now: $1, drawing: $2) { selector.includes($0.key) } }
    }

    mutating func update(_ queue: any EffectQueue) -> String {
        log { $0.update(QueueKey(queue), now: $1, drawing: $2) }
    }

    private mutating func log(
        _ change: (
            inout EffectLedger, Duration, (EffectQueueDelay) -> Duration
        ) -> [EffectLedger.Command]
    ) -> String {
        change(&ledger, now, { $0.shortest }).map { command in
            switch command {
            case .start(let run, let delay):
                let name = name(of: run)
                ids[name] = run.id
                return delay == .zero ? "+\(name)" : "+\(name)@\(delay.components.seconds)"
            case .stop(let run): return "-\(name(of: run))"
            case .drop(let run, .overloaded(let capacity)):
                return "!\(name(of: run)) \(capacity)"
            case .drop(let run, _): return "~\(name(of: run))"
            }
        }.joined(separator: " ")
    }

    private func name(of run: EffectLedger.Run) -> String { names[run.id] ?? "?" }

    /// Starts an effect that needs no commands.
    mutating func startAlone(
        _ name: String, id: String? = nil, policy: EffectPolicy = .replace
    ) -> Bool {
        let run = EffectRunID(UInt64(ledger.lastNumber + 1))
        let key = id.map { EffectKey($0) } ?? EffectKey.unnamed
        guard ledger.startAlone(key: key, policy: policy, rank: 0) else { return false }
        names[run] = name
        ids[name] = run
        return true
    }

    mutating func endAlone(_ name: String) -> Bool {
        ids[name].map { ledger.endAlone($0) } ?? false
    }

    mutating func rename(_ name: String, to id: String) {
        if let run = ids[name] { ledger.rename(run, to: EffectKey(id)) }
    }

    func isCurrent(_ name: String) -> Bool { ids[name].map(ledger.isCurrent) ?? false }
}

extension EffectQueueDelay {
    fileprivate var shortest: Duration {
        switch self {
        case .constant(let duration): duration
        case .random(let range): range.lowerBound
        }
    }
}

private struct Newest: EffectQueue {
    var count = 1
    var spacing = Duration.zero
    static func == (left: Newest, right: Newest) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    var effectQueuePolicy: EffectQueuePolicy { .runNewest(maxCount: count) }
    var effectQueueDelay: EffectQueueDelay { .constant(spacing) }
}

private struct Suspending: EffectQueue {
    var count = 1
    var spacing = Duration.zero
    static func == (left: Suspending, right: Suspending) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: count, .suspendNew) }
    var effectQueueDelay: EffectQueueDelay { .constant(spacing) }
}

/// One queue whose values have any policy.
private struct Line: EffectQueue {
    var effectQueuePolicy = EffectQueuePolicy.runOldest(maxCount: 1, .suspendNew)
    static func == (left: Line, right: Line) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

private struct Discarding: EffectQueue {
    var count = 2
    var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: count, .discardNew) }
}

@Suite("EffectLedger: ids")
struct EffectLedgerIDTests {
    @Test func `a run with another id is replaced under that one, and keeps its age`() {
        var log = LedgerLog()
        #expect(log.start("a", id: "x") == "+a")
        #expect(log.start("b", id: "y", policy: .coexist) == "+b")
        log.rename("a", to: "y")
        log.rename("nobody", to: "y")
        #expect(log.start("c", id: "x") == "+c")
        #expect(log.start("d", id: "y") == "-a -b +d")
        #expect(log.end("a") == "" && log.isCurrent("d") && !log.isCurrent("a"))
    }

    @Test func `replace: the first run's late end doesn't unregister the second`() {
        var log = LedgerLog()
        #expect(log.start("a1", id: "a") == "+a1")
        #expect(log.start("a2", id: "a") == "-a1 +a2")
        #expect(!log.isCurrent("a1"))
        #expect(log.end("a1") == "")
        #expect(log.isCurrent("a2"))
        #expect(log.start("a3", id: "a") == "-a2 +a3")
    }

    @Test func `coexist: both run`() {
        var log = LedgerLog()
        #expect(log.start("a1", id: "a") == "+a1")
        #expect(log.start("a2", id: "a", policy: .coexist) == "+a2")
        #expect(log.isCurrent("a1") && log.isCurrent("a2"))
        #expect(log.cancel(.id("a")) == "-a1 -a2")
    }

    @Test func `keepOldest: the new one runs no code`() {
        var log = LedgerLog()
        #expect(log.start("a1", id: "a") == "+a1")
        #expect(log.start("a2", id: "a", policy: .keepOldest) == "~a2")
        #expect(log.end("a1") == "")
        #expect(log.start("a3", id: "a", policy: .keepOldest) == "+a3")
    }

    @Test func `effects without an id never replace each other`() {
        var log = LedgerLog()
        #expect(log.start("x") == "+x")
        #expect(log.start("y") == "+y")
    }

    @Test func `cancel too early or too late: nothing`() {
        var log = LedgerLog()
        #expect(log.cancel(.id("a")) == "")
        #expect(log.start("a1", id: "a") == "+a1")
        #expect(log.end("a1") == "")
        #expect(log.cancel(.id("a")) == "")
    }

    @Test func `cancel by prefix and by condition, in order of start`() {
        var log = LedgerLog()
        for name in ["up/1", "down/1", "up/2"] { _ = log.start(name, id: name) }
        #expect(log.cancel(.prefix("up/")) == "-up/1 -up/2")
        #expect(log.cancel(.matching { $0 as? String == "down/1" }) == "-down/1")
    }

    @Test func `an effect without others of its id starts and ends without commands`() {
        var log = LedgerLog()
        #expect(log.startAlone("a", id: "x") && log.isCurrent("a"))
        #expect(log.startAlone("b", id: "x") == false)
        #expect(log.startAlone("b", id: "x", policy: .keepOldest) == false)
        #expect(log.startAlone("b", id: "x", policy: .coexist) == true)
        #expect(log.startAlone("c") && log.startAlone("d"))
        #expect(log.start("e", id: "x") == "-a -b +e")
        #expect(log.endAlone("e") && !log.isCurrent("e"))
        #expect(log.endAlone("e") == true)
        #expect(log.start("f", queue: Newest()) == "+f")
        #expect(!log.endAlone("f") && log.isCurrent("f"))
        #expect(log.cancel(.all) == "-c -d -f")
    }

    /// Beyond a few live runs there is an index of ids.
    @Test(arguments: [1, 8, 9, 40]) func `ids are found among any number of runs`(count: Int) {
        var log = LedgerLog()
        for number in 0..<count { _ = log.start("n\(number)", id: "id\(number)") }
        #expect(log.start("again", id: "id0") == "-n0 +again")
        log.rename("again", to: "id\(count - 1)")
        #expect(log.startAlone("new", id: "id0") || count == 1)
        let last = count == 1 ? "-again" : "-n\(count - 1) -again"
        #expect(log.start("last", id: "id\(count - 1)") == "\(last) +last")
        #expect(log.endAlone("last") == true)
        #expect(log.startAlone("free", id: "id\(count - 1)") == true)
    }

    @Test func `ids of different types differ`() {
        struct One: EffectID {}
        struct Two: EffectID {}
        #expect(EffectSelector.id(One()).includes(EffectKey(One())))
        #expect(!EffectSelector.id(One()).includes(EffectKey(Two())))
        #expect(EffectKey(1 as Int) != EffectKey(1 as Int64))
    }
}

@Suite("EffectLedger: queues")
struct EffectLedgerQueueTests {
    @Test func `newest(1) of 3: the last`() {
        var log = LedgerLog()
        #expect(log.start("a", queue: Newest()) == "+a")
        #expect(log.start("b", queue: Newest()) == "-a +b")
        #expect(log.start("c", queue: Newest()) == "-b +c")
    }

    @Test func `newest(2) of 4: the last two`() {
        var log = LedgerLog()
        #expect(log.start("a", queue: Newest(count: 2)) == "+a")
        #expect(log.start("b", queue: Newest(count: 2)) == "+b")
        #expect(log.start("c", queue: Newest(count: 2)) == "-a +c")
        #expect(log.start("d", queue: Newest(count: 2)) == "-b +d")
    }

    @Test func `oldest(2, discard): the third runs no code`() {
        var log = LedgerLog()
        #expect(log.start("a", queue: Discarding()) == "+a")
        #expect(log.start("b", queue: Discarding()) == "+b")
        #expect(log.start("c", queue: Discarding()) == "~c")
        #expect(log.end("a") == "")
        #expect(log.start("d", queue: Discarding()) == "+d")
    }

    @Test func `oldest(1, suspend): second after first`() {
        var log = LedgerLog()
        #expect(log.start("a", queue: Suspending()) == "+a")
        #expect(log.start("b", queue: Suspending()) == "")
        #expect(log.start("c", queue: Suspending()) == "")
        #expect(log.end("a") == "+b")
        #expect(log.end("b") == "+c")
    }

    @Test func `a waiting one cancelled never runs`() {
        var log = LedgerLog()
        #expect(log.start("a", id: "a", queue: Suspending()) == "+a")
        #expect(log.start("b", id: "b", queue: Suspending()) == "")
        #expect(log.cancel(.id("b")) == "~b")
        #expect(log.end("a") == "")
        #expect(log.ledger.count == 0)
    }

    @Test func `cancel-all reaches unnamed and waiting ones`() {
        var log = LedgerLog()
        _ = log.start("a", queue: Suspending())
        _ = log.start("b", queue: Suspending())
        _ = log.start("c")
        #expect(log.cancel(.all) == "-a ~b -c")
        #expect(log.ledger.count == 0)
    }

    @Test func `cancelling the running one starts the waiting one`() {
        var log = LedgerLog()
        _ = log.start("a", id: "a", queue: Suspending())
        _ = log.start("b", id: "b", queue: Suspending())
        #expect(log.cancel(.id("a")) == "-a +b")
    }

    @Test func `capacity raised starts waiting ones, lowered leaves running ones`() {
        var log = LedgerLog()
        _ = log.start("a", queue: Suspending())
        for name in ["b", "c", "d"] { _ = log.start(name, queue: Suspending()) }
        #expect(log.update(Suspending(count: 3)) == "+b +c")
        #expect(log.update(Suspending(count: 1)) == "")
        #expect(log.end("a") == "")
        #expect(log.end("b") == "")
        #expect(log.end("c") == "+d")
    }

    @Test func `the newest value of a queue governs it`() {
        var log = LedgerLog()
        _ = log.start("a", queue: Suspending())
        _ = log.start("b", queue: Suspending())
        #expect(log.start("c", queue: Suspending(count: 2)) == "+b")
    }

    @Test func `spacing d: starts at 0, d, 2d, 3d`() {
        var log = LedgerLog()
        let queue = Suspending(count: 9, spacing: .seconds(2))
        #expect(log.start("a", queue: queue) == "+a")
        #expect(log.start("b", queue: queue) == "+b@2")
        #expect(log.start("c", queue: queue) == "+c@4")
        log.now = .seconds(1)
        #expect(log.start("d", queue: queue) == "+d@5")
        log.now = .seconds(60)
        #expect(log.start("e", queue: queue) == "+e")
    }

    @Test func `a start that never happened takes no room in the spacing`() {
        var log = LedgerLog()
        let queue = Newest(spacing: .seconds(2))
        #expect(log.start("a", queue: queue) == "+a")
        #expect(log.start("b", queue: queue) == "-a +b@2")
        #expect(log.start("c", queue: queue) == "-b +c@2")
        log.now = .seconds(1)
        #expect(log.start("d", queue: queue) == "-c +d@1")
        // This one has started.
        log.now = .seconds(2)
        #expect(log.start("e", queue: queue) == "-d +e@2")
    }

    @Test func `starts that were cancelled give their moments back, from the last one`() {
        var log = LedgerLog()
        let queue = Suspending(count: 9, spacing: .seconds(2))
        for name in ["a", "b", "c", "d"] { _ = log.start(name, id: name, queue: queue) }
        #expect(log.cancel(.id("b")) == "-b")
        #expect(log.start("e", queue: queue) == "+e@8")
        #expect(log.cancel(.all) == "-a -c -d -e")
        #expect(log.start("f", queue: queue) == "+f@2")
        log.now = .seconds(2)
        #expect(log.cancel(.all) == "-f")
        #expect(log.start("g", queue: queue) == "+g@2")
    }

    @Test func `room that a newer value makes is first for those that wait`() {
        var log = LedgerLog()
        for name in ["a", "b", "c", "d"] { _ = log.start(name, queue: Line()) }
        let three = Line(effectQueuePolicy: .runOldest(maxCount: 3, .discardNew))
        #expect(log.start("e", queue: three) == "+b +c ~e")
        let newest = Line(effectQueuePolicy: .runNewest(maxCount: 4))
        #expect(log.start("f", queue: newest) == "+d -a +f")
    }

    @Test func `a queue of the newest runs no more than fit`() {
        var log = LedgerLog()
        for name in ["a", "b", "c"] { _ = log.start(name, queue: Line()) }
        let newest = Line(effectQueuePolicy: .runNewest(maxCount: 1))
        #expect(log.update(newest) == "")
        #expect(log.start("d", queue: newest) == "-a +d")
        #expect(log.end("d") == "+b")
    }

    @Test func `an effect that replaces one in a queue leaves its room to those that wait`() {
        var log = LedgerLog()
        _ = log.start("a", id: "x", queue: Suspending())
        _ = log.start("b", queue: Suspending())
        #expect(log.start("c", id: "x") == "-a +b +c")
    }

    @Test func `spacing outlives the effects of a queue`() {
        var log = LedgerLog()
        let queue = Suspending(spacing: .seconds(2))
        _ = log.start("a", queue: queue)
        _ = log.end("a")
        for number in 1...40 { _ = log.start("\(number)", queue: Discarding(count: number)) }
        #expect(log.start("b", queue: queue) == "+b@2")
    }

    @Test func `waiting ones of higher rank start first, equals in order of arrival`() {
        var log = LedgerLog()
        _ = log.start("a", queue: Suspending())
        _ = log.start("low", queue: Suspending(), rank: 1)
        _ = log.start("high1", queue: Suspending(), rank: 9)
        _ = log.start("high2", queue: Suspending(), rank: 9)
        #expect(log.end("a") == "+high1")
        #expect(log.end("high1") == "+high2")
        #expect(log.end("high2") == "+low")
    }

    @Test func `no more than 1,024 wait`() {
        var log = LedgerLog()
        _ = log.start("first", queue: Suspending())
        for number in 0..<EffectLedger.waitingMax {
            #expect(log.start("\(number)", queue: Suspending()) == "")
        }
        #expect(log.start("last", queue: Suspending()) == "!last 1024")
    }

    @Test func `queues of different types are different queues`() {
        var log = LedgerLog()
        #expect(log.start("a", queue: Newest()) == "+a")
        #expect(log.start("b", queue: Suspending()) == "+b")
        #expect(log.start("c", queue: Discarding(count: 1)) == "+c")
        #expect(log.start("d", queue: Discarding(count: 2)) == "+d")
    }

    @Test func `many queues that come and go are forgotten`() {
        var log = LedgerLog()
        for number in 0..<1_000 {
            _ = log.start("\(number)", queue: Discarding(count: number + 1))
            _ = log.end("\(number)")
        }
        #expect(log.ledger.queueCount < 40)
    }
}
