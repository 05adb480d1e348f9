import Foundation
import GroveNetwork
import GroveStorage
import GroveTLS
import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveServer

@Suite("Metric")
struct MetricTests {
    @Test func `every metric has a unique name and series, and a description`() {
        #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
        #expect(Set(Metric.all.map(\.series)).count == Metric.all.count)
        for metric in Metric.all {
            #expect(metric.help.hasSuffix("."), "\(metric.name)")
            #expect(metric.series.wholeMatch(of: /grove_[a-z]+(_[a-z]+)*/) != nil)
            #expect(metric.series.hasSuffix("_total") == (metric.kind == .counter))
            if metric.unit == .milliseconds || metric.unit == .microseconds {
                #expect(metric.series.hasSuffix("_seconds"), "\(metric.name)")
            }
            if metric.unit == .bytes { #expect(metric.series.contains("bytes")) }
        }
    }

    @Test func `the manual's page has every metric`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appending(path: "docs/reference/metrics.md")
        let text = Self.page()
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: url)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text, "UPDATE_GOLDEN=1 rewrites")
    }

    @Test(arguments: [
        ("connections", MetricName.Part.whole), ("requests", .sumOverLabels),
        ("requests.send", .label("send")), ("errors.BAD_JSON", .label("BAD_JSON")),
        ("ack_us.count", .count), ("ack_us.sum", .sum), ("ack_us.le_2500", .bucket(2_500)),
    ])
    func `the name of a member identifies its metric and number`(
        text: String, part: MetricName.Part
    ) throws {
        let name = try #require(MetricName(text))
        #expect(name.part == part)
        #expect(text.hasPrefix(name.metric.name))
        #expect(name == MetricName(text) && name != MetricName("lines"))
    }

    @Test(arguments: [
        "", "nonsense", "ack_us", "ack_us.le_", "ack_us.le_x", "ack_us.mean", "lines.send", ".",
    ])
    func `other names are no metrics`(text: String) {
        #expect(MetricName(text) == nil)
    }

    private static func page() -> String {
        let rows = Metric.all.map { metric in
            let members =
                if metric.kind == .histogram {
                    "`\(metric.name).count`, `.sum`, `.le_…`"
                } else if metric.label != nil {
                    "`\(metric.name)`, `\(metric.name).…`"
                } else {
                    "`\(metric.name)`"
                }
            let label = metric.label.map { "{\($0)}" } ?? ""
            return "| \(members) | `\(metric.series)\(label)` | \(metric.kind.rawValue) | "
                + "\(metric.unit.rawValue) | \(metric.help) |"
        }
        return introduction + rows.joined(separator: "\n") + "\n" + end
    }

    private static let introduction = """
        # Metrics

        The server counts in plain integers, each on the queue that changes it. There are four
        ways to read them: the op [`stats`](protocol.md#stats); [HTTP](http.md), `GET /v1/stats`, or
        `GET /metrics` in Prometheus's text format; the command [`grove
        stats`](cli.md#grove-stats-grove-top), with `--all`, or with `--prometheus`; and the metrics
        library of a process that hosts a server. All of them have the same numbers, under the names
        below. Later releases may add names; no name changes its
        meaning.

        Counters begin at 0 when the server starts. A member `NAME.…` is the part of `NAME` for one
        op or one error code, and is there after its first occurrence. In a histogram, `.count` and
        `.sum` are over all values, and `.le_100` counts the values that were at most 100.
        Prometheus's text separates the members by a label, includes those that haven't occurred,
        and has times in seconds; `grove_info` has the server's version and node as labels.

        | member of `stats` | in Prometheus | kind | unit in `stats` | meaning |
        |---|---|---|---|---|

        """

    private static let end = """

        ## Prometheus

        Prometheus reads [`GET /metrics`](http.md) of the web listener. Without a web listener, let
        a timer write the text to a place that another program reads already, such as the folder of
        the node exporter's textfile collector:

        ```console
        grove stats --prometheus > /var/lib/node-exporter/grove.prom.new
        mv /var/lib/node-exporter/grove.prom.new /var/lib/node-exporter/grove.prom
        ```

        ## The process's metrics library

        A program that hosts a server can get the numbers through swift-metrics. It calls
        `MetricsSystem.bootstrap(_:)`, or gives a factory to `ServerOptions.metrics`. The server
        then reports once per second, under Prometheus's names: counters as the increase since the
        last report, gauges as meters. A histogram is reported as the counters of its Prometheus
        text, `…_bucket` with the label `le`, `…_sum` and `…_count`, because the server counts it
        in buckets ([decision 20](../decisions/0020-metrics-and-health.md)). The factory is called
        on the queue of the sockets and must not wait.

        """
}

extension OverSockets {
    @Suite("Numbers of a server", .timeLimit(.minutes(1)))
    struct NumberTests {
        @Test func `stats and the list of metrics have the same names`() async throws {
            let folder = try TemporaryFolder()
            var prepared = ServerOptions()
            try TLSServing.apply(to: &prepared, clients: "asked")
            prepared.tls.clientRevocations = try TestCertificates.shared.get()
                .makeRevocationList("of-the-numbers", of: [])
            let tls = prepared.tls
            try await RunningServer.with({
                $0.store = .file(folder.path("grove.db"))
                // Some numbers are only there with TLS.
                $0.listenTLS = [.loopbackV4(port: 0)]
                $0.tls = tls
                $0.web.addresses = [.init(.loopbackV4(port: 0))]
            }) { running in
                let client = try running.connect()
                let address = try #require(await running.server.webAddresses.first)
                let web = try RawClient(
                    try #require(SocketAddress(address.replacing("http://", with: ""))),
                    readsGreeting: false)
                try web.send("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try web.line().hasPrefix("HTTP/1.1 404"))
                let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#
                for _ in 0..<3 { #expect(try client.ask(send).json("ok") == true) }
                _ = try client.ask("nonsense")
                let stats = try client.ask(#"{"op":"stats","id":1}"#)
                let members = try #require(try JSONValue(parsing: Array(stats.utf8)).object)
                var seen: Set<String> = []
                for member in members where member.name != "id" && member.name != "ok" {
                    let name = MetricName(member.name)
                    #expect(name != nil, "docs/reference/metrics.md lacks \(member.name)")
                    if let name { seen.insert(name.metric.name) }
                }
                for metric in Metric.all {
                    #expect(seen.contains(metric.name), "stats lacks \(metric.name)")
                }
                #expect(members["requests.send"] == 3 && members["requests"] == 4)
                #expect(members["errors.BAD_JSON"] == 1 && members["errors"] == 1)
                #expect(members["ack_us.count"] == 3 && members["commit_us.count"] == 3)
                #expect(members["commit_requests.le_1"] == 3)
                #expect(members["http_answers"] == 1 && members["http_answers.4xx"] == 1)
                #expect((members["ack_us.sum"]?.integer ?? 0) > 0)
            }
        }
    }
}
