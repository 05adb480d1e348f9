import GroveEngine
import GroveWire
import OrderedJSON
import Testing

@testable import GroveProtocol

@Suite("StatsSeries")
struct StatsSeriesTests {
    /// A series whose counter of steps grows, with a measurement at each of these milliseconds.
    private func series(
        at times: [Int64], steps: (Int64) -> Int64 = { $0 / 100 }
    ) -> StatsSeries {
        var series = StatsSeries()
        var acks = Distribution(bounds: Distribution.times)
        for time in times {
            acks.record(700)
            series.record(
                [("engine_steps", steps(time)), ("connections", time / 1_000)], acks: acks,
                commits: Distribution(bounds: Distribution.times),
                at: Moment(uptime: time, time: Timestamp(milliseconds: time)))
        }
        return series
    }

    private func reply(_ series: StatsSeries, _ step: SeriesStep) throws -> JSONObject {
        var series = series
        var (writer, times) = (JSONWriter(), TimestampText())
        let now = Moment(uptime: 0, time: Timestamp(milliseconds: 0))
        series.append(step, now: now, &times, to: &writer)
        let object = [UInt8(ascii: "{")] + writer.bytes.dropFirst() + [UInt8(ascii: "}")]
        return try #require(try JSONValue(parsing: object).object)
    }

    private func points(
        _ name: String, _ step: SeriesStep, of series: StatsSeries
    ) throws -> [Int64?] {
        try #require(try reply(series, step)["series"]?[name]?.array).map(\.integer)
    }

    @Test func `a point has what was counted in its time, and what there was at its end`() throws {
        let series = series(at: [5_000, 6_001, 7_004, 7_999])
        #expect(try points("engine_steps", .second, of: series) == [10, 10, 9])
        #expect(try points("connections", .second, of: series) == [6, 7, 7])
        #expect(try points("ack_us.p99", .second, of: series) == [1_000, 1_000, 1_000])
        #expect(try points("commit_us.p99", .second, of: series) == [nil, nil, nil])
        #expect(try points("requests", .second, of: series) == [nil, nil, nil])
        #expect(try reply(series, .second)["until"] == "1970-01-01T00:00:07.999Z")
        #expect(try reply(series, .second)["every_ms"] == 1_000)
    }

    @Test func `ten seconds are one point of the longer row`() throws {
        let series = series(at: (0...25).map { $0 * 1_000 })
        #expect(try points("engine_steps", .tenSeconds, of: series) == [100, 100])
        #expect(try reply(series, .tenSeconds)["until"] == "1970-01-01T00:00:20.000Z")
    }

    @Test func `before the first second there are no points`() throws {
        for series in [StatsSeries(), series(at: [500])] {
            #expect(try points("engine_steps", .second, of: series) == [])
        }
    }

    @Test func `a late measurement is shared by its points, and none counts twice`() throws {
        let series = series(at: [0, 1_000, 4_100, 5_100])
        #expect(try points("engine_steps", .second, of: series) == [10, 10, 10, 11, 10])
    }

    @Test func `after a long pause nothing is known of it`() throws {
        let series = series(at: [0, 1_000, 13_000, 14_000])
        let points = try points("engine_steps", .second, of: series)
        #expect(points == [10] + Array(repeating: nil, count: 12) + [10])
    }

    @Test func `a pause of years costs one row`() throws {
        let series = series(at: [0, 1_000, 1 << 50, 1 << 50 + 1_000])
        let points = try points("engine_steps", .second, of: series)
        #expect(points.count == ServerLimits.pointsOfSeconds && points.last == 10)
        #expect(points.dropLast().allSatisfy { $0 == nil })
    }

    @Test func `only the newest points are kept`() throws {
        let series = series(at: (0...9_000).map { $0 * 1_000 }) { $0 / 1_000 * ($0 / 1_000) }
        let seconds = try points("engine_steps", .second, of: series)
        #expect(seconds == (8_400..<9_000).map { 2 * $0 + 1 })
        let tens = try points("engine_steps", .tenSeconds, of: series)
        #expect(tens == (180..<900).map { 100 * (2 * $0 + 1) })
    }

    @Test func `times beyond the last bucket are one more than its bound`() {
        var before = Distribution(bounds: [10, 100])
        before.record(5_000)
        var after = before
        for _ in 0..<98 { after.record(1) }
        #expect(after.bound(of: 99, since: before) == 10)
        after.record(50)
        #expect(after.bound(of: 99, since: before) == 100)
        for _ in 0..<5 { after.record(101) }
        #expect(after.bound(of: 99, since: before) == 101)
        #expect(after.bound(of: 99, since: after) == nil)
    }

    @Test func `large answers of one turn are bounded, and none is lost`() throws {
        let talk = try Conversation()
        talk.context.series = series(at: (0...600).map { $0 * 1_000 }) { $0 * 1_000 }
        let line = #"{"op":"stats","id":1,"series":"1s"}"# + "\n"
        let one = try #require(talk.send(line).first).utf8.count + 1
        let count = 2 * ServerLimits.answerBytesPerTurnMax / one
        talk.receive(String(repeating: line, count: count))
        let limits = talk.context.limits
        var answers = 0
        var turns = 1
        while true {
            let bytes = talk.machine.outbound.count
            #expect(bytes < ServerLimits.answerBytesPerTurnMax + one)
            answers += talk.lines().count
            guard talk.machine.canResume(limits) else { break }
            talk.machine.resume(into: &talk.requests, using: &talk.context)
            turns += 1
        }
        #expect(answers == count && turns >= 2, "\(answers) of \(count), \(turns)")
    }

    @Test func `a reply has all names, without the engine`() throws {
        let talk = try Conversation()
        let line = try #require(talk.send(#"{"op":"stats","id":1,"series":"1s"}"# + "\n").first)
        let names = StatsSeries.counters + StatsSeries.gauges + StatsSeries.times
        #expect(names.count == 16)
        #expect(line.hasPrefix(#"{"id":1,"ok":true,"every_ms":1000,"until":"1970-"#), "\(line)")
        #expect(names.allSatisfy { line.contains("\"\($0)\":[]") })
        #expect(talk.requests.isEmpty)
        let refused = talk.send(#"{"op":"stats","id":1,"series":"1m"}"# + "\n")
        #expect(refused.first?.contains(#""at":"$.series""#) == true, "\(refused)")
    }
}
