import Foundation
import GroveClient
import OrderedJSON
import Synchronization
import Testing

@testable import GroveBench

@Suite("BenchPlan")
struct BenchPlanTests {
    private func plan() throws -> BenchPlan {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sock").path()
        let address = try #require(ServerAddress("unix:\(path)"))
        var plan = BenchPlan(address: address, event: Array(#""increment""#.utf8))
        plan.instancePrefix = "bench-"
        plan.usesDedup = true
        return plan
    }

    @Test func `parts share a count, the first ones the rest`() {
        let shares = (0..<3).map { BenchPlan.share(of: 11, index: $0, parts: 3) }
        #expect(shares == [4, 4, 3])
    }

    @Test func `without a listener, all connections fail with a reason`() async throws {
        var plan = try plan()
        plan.connections = 3
        plan.threads = 2
        plan.eventsMax = 10
        let control = BenchControl()
        let report = try await plan.run(control)
        #expect(report.tally.sent == 0 && report.tally.breaks.count == 3)
        #expect(control.removeNotices().count == 3)
        #expect(control.removeNotices().isEmpty)
        #expect(control.acknowledged.load(ordering: .relaxed) == 0)
    }

    @Test func `a record file that can't be made fails before the run`() throws {
        var plan = try plan()
        #expect(plan.canRecord)
        plan.recordPath = "/nowhere/at/all"
        #expect(!plan.canRecord)
    }

    @Test func `each request has its numbers in fields of fixed width`() throws {
        let template = RequestTemplate(try plan(), connection: 7)
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: template.bytes.count, alignment: 1)
        defer { bytes.deallocate() }
        let target = try #require(bytes.baseAddress)
        template.write(to: target, id: RequestTemplate.firstID, instance: 12, event: 345)
        let request = try JSONValue(parsing: Array(bytes))
        let dedup = String(decoding: template.dedup(event: 345) ?? [], as: UTF8.self)
        #expect(request["id"] == .integer(Int64(RequestTemplate.firstID)))
        #expect(request["to"] == "counter/bench-0000012")
        #expect(request["event"] == "increment")
        #expect(request["dedup"] == .string(dedup) && dedup.hasSuffix("345"))
        #expect(
            String(decoding: template.name(instance: 12), as: UTF8.self) == "counter/bench-0000012")
    }

    @Test func `a report has the plan, the counts and the latencies`() throws {
        var tally = BenchTally()
        tally.sent = 3
        tally.acknowledged = 2
        tally.record(latency: 2_000)
        tally.record(latency: 2_000)
        let line = #"{"id":1,"error":{"code":"REJECTED","message":"no"}}"#
        Array(line.utf8).withUnsafeBytes { tally.record(error: $0) }
        var sum = BenchTally()
        sum.add(tally)
        sum.add(BenchTally())
        #expect(sum.errorCount == 1 && sum.examples == ["REJECTED": line])
        let report = BenchReport(plan: try plan(), tally: sum, seconds: 0.5)
        let json = try JSONValue(parsing: report.json)
        #expect(json["sent"] == 3 && json["acked"] == 2 && json["per_second"] == .double(4))
        #expect(json["errors"] == ["REJECTED": 1])
        #expect(json["latency_us"]?["p50"] == .double(2))
        #expect(report.rows.contains(["error", "1 × REJECTED"]))
        #expect(report.rows.contains(["events/s", "4"]))
        #expect(json["rate"] == .null && json["unsent"] == 0)
    }

    @Test func `a report has the rate, and what wasn't sent`() throws {
        var plan = try plan()
        plan.rate = 100
        var tally = BenchTally()
        tally.unsent = 7
        var sum = BenchTally()
        sum.add(tally)
        let report = BenchReport(plan: plan, tally: sum, seconds: 1)
        let json = try JSONValue(parsing: report.json)
        #expect(json["rate"] == 100 && json["unsent"] == 7)
        #expect(report.rows.first?.last?.contains(" 100 events/s") == true)
        #expect(report.rows.contains(["not sent", "7"]))
    }
}
