import OrderedJSON
import Testing

@testable import GroveServer

@Suite("PrometheusText")
struct PrometheusTextTests {
    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: Array(text.utf8)).object)
    }

    @Test func `counters, gauges, labels and histograms have a help text and a type`() throws {
        let text = PrometheusText.render(
            try object(
                #"{"id":7,"ok":true,"uptime_ms":61005,"connections":3,"bytes_in":10,"#
                    + #""ack_us.count":4,"ack_us.sum":1500250,"ack_us.le_100":1,"#
                    + #""ack_us.le_50":0,"ack_us.le_1000000":3}"#))
        #expect(
            text == """
                # HELP grove_uptime_seconds Time since the start.
                # TYPE grove_uptime_seconds gauge
                grove_uptime_seconds 61.005
                # HELP grove_connections Open connections.
                # TYPE grove_connections gauge
                grove_connections 3
                # HELP grove_received_bytes_total Bytes read from clients.
                # TYPE grove_received_bytes_total counter
                grove_received_bytes_total 10
                # HELP grove_ack_seconds Time from reading a send to writing its reply, without \
                refusals, settle and import.
                # TYPE grove_ack_seconds histogram
                grove_ack_seconds_bucket{le="0.00005"} 0
                grove_ack_seconds_bucket{le="0.0001"} 1
                grove_ack_seconds_bucket{le="1"} 3
                grove_ack_seconds_bucket{le="+Inf"} 4
                grove_ack_seconds_sum 1.50025
                grove_ack_seconds_count 4

                """)
    }

    @Test func `every label value is there, also before it occurs`() throws {
        let text = PrometheusText.render(try object(#"{"requests":5,"requests.send":5}"#))
        #expect(text.contains("grove_requests_total{op=\"send\"} 5\n"))
        #expect(text.contains("grove_requests_total{op=\"delete\"} 0\n"))
        #expect(!text.contains("grove_requests_total 5"))
    }

    @Test func `text from outside is escaped`() {
        let text = PrometheusText.render(
            JSONObject(), server: [("node", "a\"b\\c\nd"), ("version", "1")])
        #expect(text.hasSuffix("grove_info{node=\"a\\\"b\\\\c\\nd\",version=\"1\"} 1\n"))
    }

    @Test func `an unknown metric has no type`() throws {
        let text = PrometheusText.render(try object(#"{"new.thing-é":5,"word":"x"}"#))
        #expect(text == "# TYPE grove_new_thing__ untyped\ngrove_new_thing__ 5\n")
    }

    @Test(arguments: [
        (0, Metric.Unit.microseconds, "0"), (1, .microseconds, "0.000001"),
        (1_000_000, .microseconds, "1"), (1_500, .milliseconds, "1.5"), (15, .bytes, "15"),
        (-1_500, .milliseconds, "-1.5"), (100, .milliseconds, "0.1"),
    ])
    func `numbers are exact`(number: Int64, unit: Metric.Unit, text: String) {
        #expect(PrometheusText.decimal(number, unit) == text)
    }
}

/// Checks a complete text against the rules on the format's page.
@Suite("Prometheus's format")
struct PrometheusFormatTests {
    /// A reply with every possible member; the numbers are arbitrary.
    private static func reply() -> JSONObject {
        var members: [(String, JSONValue)] = []
        for metric in Metric.all {
            switch metric.kind {
            case .histogram:
                for (place, part) in ["le_100", "le_10", "count", "sum"].enumerated() {
                    members.append(("\(metric.name).\(part)", .integer(Int64(place))))
                }
            default: members.append((metric.name, 17))
            }
        }
        var object = JSONObject()
        for (name, value) in members { object[name] = value }
        return object
    }

    @Test func `a whole text keeps to it`() throws {
        let text = PrometheusText.render(Self.reply(), server: [("node", "n\"1")])
        #expect(text.hasSuffix("\n") && !text.contains("\n\n"))
        var types: [String: String] = [:]
        var last = ""
        var samples: Set<String> = []
        for line in text.split(separator: "\n") {
            if let help = line.wholeMatch(of: /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)/) {
                last = String(help.1)
                #expect(types[last] == nil, "\(last) comes twice")
            } else if let type = line.wholeMatch(
                of: /# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|untyped)/)
            {
                #expect(String(type.1) == last, "HELP and TYPE stand together")
                types[last] = String(type.2)
            } else {
                let labels = /\{([a-z]+="([^"\\\n]|\\\\|\\"|\\n)*",?)+\}/
                let bare = String(line.replacing(labels, with: ""))
                let parts = bare.split(separator: " ").map(String.init)
                #expect(parts.count == 2 && Double(parts[1]) != nil, "\(line)")
                let base = types[last] == "histogram" ? Self.base(parts[0]) : parts[0]
                #expect(base == last, "\(line) stands under \(last)")
                #expect(samples.insert(String(line.prefix { $0 != " " })).inserted, "\(line)")
            }
        }
        for metric in Metric.all { #expect(types[metric.series] == metric.kind.rawValue) }
    }

    private static func base(_ name: String) -> String {
        for ending in ["_bucket", "_sum", "_count"] where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count))
        }
        return name
    }
}
