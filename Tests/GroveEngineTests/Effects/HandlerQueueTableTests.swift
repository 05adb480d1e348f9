import OrderedJSON
import Testing

@testable import GroveEngine

@Suite("Places of handlers and of shares")
struct HandlerQueueTableTests {
    /// Four places, two for each share; the share is the argument's part before the dash.
    private static let traits = HandlerTraits(concurrencyMax: 4, perShareMax: 2) { argument in
        argument.string?.split(separator: "-").first.map(String.init)
    }

    private func bench() throws -> EffectBench {
        let bench = try EffectBench()
        try bench.restart { $0.handlers["work"] = Self.traits }
        return bench
    }

    private func plan(_ bench: EffectBench, _ ids: String...) throws {
        for id in ids { try bench.plan(.undoable("work", id: id), at: "lab/\(id)") }
    }

    @Test func `a share that hangs leaves the others their places`() throws {
        let bench = try bench()
        for number in 1...10 { try plan(bench, "dead-\(number)") }
        #expect(bench.atWork == ["work dead-1 1", "work dead-2 1"])
        try plan(bench, "well-1")
        #expect(bench.atWork.last == "work well-1 1")
        let well = try #require(bench.dispatched.last)
        try bench.report(.completed(1), of: well)
        #expect(try bench.log(of: "lab/well-1") == ["got 1"])
    }

    @Test func `after a crash each share has its places again, and all run`() throws {
        let bench = try bench()
        for number in 1...5 { try plan(bench, "a-\(number)", "b-\(number)", "c-\(number)") }
        try bench.restart()
        #expect(bench.dispatched.count == 4)
        for share in ["a", "b", "c"] {
            let count = bench.dispatched.count { $0.argument.string?.hasPrefix(share) == true }
            #expect(count <= 2)
        }
        for _ in 1...15 { try bench.report(.completed(1)) }
        #expect(bench.dispatched.isEmpty)
        for number in 1...5 {
            for share in ["a", "b", "c"] {
                #expect(try bench.log(of: "lab/\(share)-\(number)") == ["got 1"])
            }
        }
    }

    @Test func `a share that waits for a place gets the next one`() throws {
        let bench = try bench()
        try plan(bench, "a-1", "a-2", "a-3", "b-1", "b-2", "b-3", "c-1")
        #expect(bench.atWork == ["work a-1 1", "work a-2 1", "work b-1 1", "work b-2 1"])
        // Newer effects of another share don't overtake it either.
        let first = try bench.takeDispatched()
        try plan(bench, "d-1")
        try bench.report(.completed(1), of: first)
        #expect(bench.atWork.last == "work c-1 1")
        // Of two without a place, the first by name comes first.
        try bench.report(.completed(1))
        #expect(bench.atWork.last == "work a-3 1")
        try bench.report(.completed(1))
        #expect(bench.atWork.last == "work d-1 1")
    }

    @Test func `effects in shares run too when the handler has no shares any more`() throws {
        let bench = try bench()
        for number in 1...5 { try plan(bench, "a-\(number)") }
        try bench.restart { $0.handlers["work"] = HandlerTraits(concurrencyMax: 3) }
        #expect(bench.dispatched.count == 3)
        for _ in 1...5 { try bench.report(.completed(1)) }
        #expect(bench.dispatched.isEmpty)
        for number in 1...5 { #expect(try bench.log(of: "lab/a-\(number)") == ["got 1"]) }
    }

    @Test func `effects from before the handler had shares run too`()
        throws
    {
        let bench = try EffectBench(concurrency: 2)
        for number in 1...6 { try plan(bench, "a-\(number)") }
        try bench.restart { $0.handlers["work"] = Self.traits }
        #expect(bench.dispatched.count == 4)
        // New effects wait only for their share.
        try plan(bench, "b-1")
        for _ in 1...7 { try bench.report(.completed(1)) }
        #expect(bench.dispatched.isEmpty)
        for number in 1...6 { #expect(try bench.log(of: "lab/a-\(number)") == ["got 1"]) }
        #expect(try bench.log(of: "lab/b-1") == ["got 1"])
    }

    @Test func `an attempt that fails and is cancelled by its host frees its place`() throws {
        let bench = try bench()
        try plan(bench, "a-1", "a-2", "a-3")
        try bench.report(.cancelled)
        #expect(bench.dispatched.count == 2)
        for _ in 1...4 where !bench.dispatched.isEmpty { try bench.report(.completed(1)) }
        for number in 1...3 { #expect(try bench.log(of: "lab/a-\(number)") == ["got 1"]) }
    }

    @Test func `names of shares that don't fit wait in the queue of the handler`() {
        let table = HandlerQueueTable([
            "work": Self.traits, "plain": HandlerTraits(concurrencyMax: 1),
        ])
        #expect(table.name(for: "work", "a-1") == "work\na")
        #expect(table.name(for: "work", 7) == "work")
        #expect(table.name(for: "work", "a\nb-1") == "work")
        #expect(table.name(for: "plain", "a-1") == "plain")
        let longest = String(repeating: "x", count: Limits.handlerShareBytesMax)
        #expect(table.name(for: "work", .string(longest)) == "work\n\(longest)")
        #expect(table.name(for: "work", .string(longest + "x")) == "work")
    }

    @Test func `past the bound of shares, others use the queue of the handler`() {
        var table = HandlerQueueTable(["work": Self.traits])
        for number in 1...Limits.handlerSharesMax {
            let name = table.name(for: "work", .string("\(number)"))
            #expect(name == "work\n\(number)")
            table.addBacklog(name)
        }
        #expect(table.name(for: "work", "more") == "work")
        #expect(table.name(for: "work", "1") == "work\n1")
        // A share without waiting effects is removed.
        table.advanceSearch(in: "work\n1", to: nil, fromStart: true)
        #expect(table.name(for: "work", "more") == "work\nmore")
    }
}
