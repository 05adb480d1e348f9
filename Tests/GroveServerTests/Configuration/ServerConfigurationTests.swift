import Foundation
import GroveEffects
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveTestSupport
import Logging
import Testing

@testable import GroveServer

@Suite("ServerConfiguration")
struct ServerConfigurationTests {
    private func load(
        _ file: String? = nil, environment: [String: String] = [:], flags: [String: String] = [:]
    ) throws -> ServerConfiguration {
        guard let file else {
            return try ServerConfiguration.load(
                file: nil, environment: environment, flags: flags)
        }
        let folder = try TemporaryFolder()
        let path = folder.path("grove.json")
        try Data(file.utf8).write(to: URL(filePath: path))
        return try ServerConfiguration.load(file: path, environment: environment, flags: flags)
    }

    /// Returns the error messages without the path of the file's folder.
    private func problems(_ body: () throws -> ServerConfiguration) -> [String] {
        do {
            _ = try body()
            return []
        } catch {
            let problems = (error as? ConfigurationError)?.problems ?? []
            return problems.map { problem in
                problem.description.split(separator: " ").map { word in
                    guard let name = word.split(separator: "/").last, name != word else {
                        return String(word)
                    }
                    return (word.hasPrefix("(") ? "(" : "") + name
                }.joined(separator: " ")
            }
        }
    }

    @Test func `without any value the defaults hold`() throws {
        let configuration = try load()
        let options = ServerOptions()
        #expect(configuration.options.limits == options.limits)
        #expect(configuration.options.listen == options.listen)
        #expect(configuration.options.graceMilliseconds == options.graceMilliseconds)
        #expect(configuration.options.store.name == "grove.db")
        #expect(configuration.options.node == nil)
        #expect(configuration.logFormat == .auto && configuration.logLevel == .info)
        #expect(configuration.options.retention == RetentionOptions())
        #expect(configuration.options.unixSocketMode == options.unixSocketMode)
        #expect(configuration.options.http.perHostMax == options.http.perHostMax)
        #expect(!configuration.options.allowsInsecurePlaintext)
    }

    @Test func `a flag wins over the environment, that over the file, that over the default`()
        throws
    {
        let file = #"{"max-line":{"value":1000,"reason":"x"},"max-inflight":5,"grace-ms":7}"#
        let environment = ["GROVE_MAX_LINE": "2000", "GROVE_MAX_INFLIGHT": "6", "OTHER": "x"]
        let limits = try load(file, environment: environment, flags: ["max-line": "3000"])
        #expect(limits.options.limits.lineBytesMax == 3_000)
        #expect(limits.options.limits.inflightMax == 6)
        #expect(limits.options.graceMilliseconds == 7)
        #expect(limits.options.limits.pendingBytesMax == 8 << 20)
    }

    @Test func `bounds of machines can be in all three places, and all errors are reported`()
        throws
    {
        let sensor = ["sensor": JournalBounds(stepsMax: 1)]
        #expect(
            try load(#"{"keep-machines":"sensor:steps=1"}"#).options.retention.machines == sensor)
        #expect(
            try load(#"{"keep-machines":["sensor:steps=1"]}"#).options.retention.machines == sensor)
        let environment = ["GROVE_KEEP_MACHINES": "a:steps=2,b:bytes=3"]
        #expect(
            try load(environment: environment).options.retention.machines
                == ["a": JournalBounds(stepsMax: 2), "b": JournalBounds(bytesMax: 3)])
        let flags = ["keep-machines": "sensor:steps=1"]
        let both = try load(environment: environment, flags: flags)
        #expect(both.options.retention.machines == sensor, "the flag wins, as a whole")
        #expect(try load(flags: ["keep-machines": ""]).options.retention.machines.isEmpty)
        let told = problems {
            try load(#"{"keep-machines":["a:stepss=1","b:age-s=0","c:steps=1","c:steps=2"]}"#)
        }
        #expect(told.count == 3)
        for (line, word) in zip(told, ["stepss", "b:age-s=0", "c:steps"]) {
            #expect(line.contains("keep-machines") && line.contains(word), "\(line)")
            #expect(line.contains("grove.json, line 1"), "\(line)")
        }
    }

    /// The limits of the flags in the next test.
    private static var changedLimits: ServerLimits {
        var limits = ServerLimits()
        limits.lineBytesMax = 1_001
        limits.inflightMax = 2
        limits.pendingBytesMax = 70_000
        limits.connectionsMax = 3
        limits.outstandingMax = 4
        limits.heartbeatMilliseconds = 101
        limits.slowConsumerMilliseconds = 102
        limits.lineMilliseconds = 103
        limits.connectionsPerPeerMax = 6
        limits.bufferBytesMax = 2_000_000
        limits.handshakesPerSecond = 14
        return limits
    }

    /// A value other than the default for each key.
    private static let changedFlags = [
        "listen": "127.0.0.1:1,tls:127.0.0.1:3,[::1]:2", "insecure-plaintext": "true",
        "insecure-anonymous": "true", "tls-certificate": "/c,/d", "tls-key": "/k,/l",
        "tls-min-version": "1.3", "tls-client-ca": "/a",
        "tls-client-certificates": "asked", "tls-client-crl": "/r",
        "tls-handshakes-per-s": "14", "data": ":memory:", "node": "n",
        "log-level": "debug", "log-format": "text", "max-line": "1001",
        "max-inflight": "2", "max-pending": "70000", "max-connections": "3",
        "max-outstanding": "4", "resident-instances": "5", "resident-bytes": "14",
        "heartbeat-ms": "101",
        "http-allow": "api.example.com,*.example.org:8443", "http-allow-private": "localhost",
        "http-plaintext": "true", "slow-consumer-ms": "102", "line-timeout-ms": "103",
        "grace-ms": "104", "socket-mode": "0660", "max-connections-per-address": "6",
        "max-buffers": "2000000", "keep-steps": "7", "keep-age-s": "8", "keep-bytes": "9",
        "keep-done-s": "10", "keep-machines": "sensor:age-s=11,order:steps=12",
        "http-max-per-host": "13", "machines-dir": "/m", "http-ca": "/h",
        "secrets-dir": "/s", "secrets": "a hosts=h,i machines=m,n,b hosts=j machines=o",
        "web-listen": "127.0.0.1:4,tls:[::1]:5", "web-listen-read": "127.0.0.1:6",
        "web-hosts": "Grove.example,b", "web-origins": "https://Shop.example", "web-idle-ms": "105",
        "web-console": "false",
    ]

    private static func checkWeb(_ web: WebOptions) {
        #expect(
            web.addresses.map(\.address.description) == ["127.0.0.1:4", "[::1]:5", "127.0.0.1:6"])
        #expect(web.addresses.map(\.isEncrypted) == [false, true, false])
        #expect(web.addresses.map(\.isReadOnly) == [false, false, true])
        #expect(!web.isAutomatic && web.idleMilliseconds == 105 && !web.hasConsole)
        #expect(web.hosts == ["grove.example", "b"] && web.origins == ["https://shop.example"])
    }

    @Test(arguments: [
        ("web-listen", "tls:unix:/s"), ("web-listen", "nowhere"), ("web-hosts", "a:80"),
        ("web-hosts", ""), ("web-origins", "shop.example"), ("web-origins", "https://a/"),
        ("web-origins", "ftp://a"),
    ])
    func `addresses, names and origins of HTTP are checked`(key: String, value: String) {
        let told = problems { try load("{\"\(key)\":[\"\(value)\"]}") }
        #expect(told.count == 1 && told[0].contains(key), "\(told)")
    }

    @Test func `every key reaches the options`() throws {
        let flags = Self.changedFlags
        #expect(Set(flags.keys) == Set(ConfigurationKey.all.map(\.name)))
        let configuration = try load(flags: flags)
        let options = configuration.options
        #expect(
            options.retention.journal
                == JournalBounds(stepsMax: 7, ageMillisecondsMax: 8_000, bytesMax: 9))
        #expect(options.retention.doneMillisecondsMax == 10_000)
        #expect(
            options.retention.machines == [
                "sensor": JournalBounds(ageMillisecondsMax: 11_000),
                "order": JournalBounds(stepsMax: 12),
            ])
        #expect(options.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2"])
        Self.checkWeb(options.web)
        #expect(options.listenTLS.map(\.description) == ["127.0.0.1:3"])
        #expect(options.tls.identities.map { $0.certificate + $0.key } == ["/c/k", "/d/l"])
        #expect(options.tls.versionMin == .v1_3 && options.tls.clientAuthorities == "/a")
        #expect(options.tls.clientCertificates == .asked)
        #expect(options.tls.clientRevocations == "/r")
        #expect(options.allowsInsecurePlaintext && options.allowsInsecureAnonymous)
        #expect(options.node == "n")
        #expect(options.store.name == "memory")
        #expect(
            options.http.allowedHosts.map { "\($0) \($0.allowsPrivateAddresses)" }
                == ["api.example.com false", "*.example.org:8443 false", "localhost true"])
        #expect(options.http.allowPlaintext && options.http.perHostMax == 13)
        #expect(options.http.secretsFolder == "/s" && options.http.trustRootsFile == "/h")
        #expect(options.http.secretGrants.map(\.name) == ["a", "b"])
        #expect(configuration.logLevel == .debug && configuration.logFormat == .text)
        #expect(options.unixSocketMode == 0o660)
        #expect(options.limits == Self.changedLimits)
        #expect(options.engine.queueRequestsMax == 4)
        #expect(options.engine.residentInstancesMax == 5)
        #expect(options.engine.residentBytesMax == 14)
        #expect(options.graceMilliseconds == 104)
    }

    @Test func `wrong hosts are reported for both keys`() {
        let told = problems { try load(flags: ["http-allow": "a b", "http-allow-private": "c d"]) }
        #expect(
            told == [
                #"http-allow: must be host, host:port or *.domain, not "a b" (--http-allow)"#,
                "http-allow-private: must be host, host:port or *.domain, not \"c d\" "
                    + "(--http-allow-private)",
            ])
    }

    @Test func `the configuration that comes with Grove is read`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "Config/grove.json").path(percentEncoded: false)
        let configuration = try ServerConfiguration.load(
            file: path, environment: [:], flags: [:])
        #expect(configuration.options.limits == ServerLimits())
    }

    static let all = "'grove serve --print-config' lists all keys"
    static let maxLine = "max-line: must be an integer from 256 to 8388608 bytes, not"

    @Test(arguments: [
        (
            #"{"max-lines":5}"#,
            "max-lines: there is no such key; did you mean max-line? \(all) (grove.json, line 1)"
        ),
        (
            "{\n\n\"nonsense\":5}",
            "nonsense: there is no such key; \(all) (grove.json, line 3)"
        ),
        ("{\n\"max-line\":\n\"5000\"}", #"\#(maxLine) "5000" (grove.json, line 3)"#),
        (#"{"max-line":5000.0}"#, "\(maxLine) 5000.0 (grove.json, line 1)"),
        (#"{"max-line":1}"#, "\(maxLine) 1 (grove.json, line 1)"),
        (
            #"{"max-line":{"default":5000}}"#,
            "max-line: its object has no value (grove.json, line 1)"
        ),
        (
            #"{"max-line":{"value":5000,"why":"x"}}"#,
            "max-line: its object may have value, default, origin, reason, reload, unit, not why "
                + "(grove.json, line 1)"
        ),
        (
            #"{"insecure-plaintext":"true"}"#,
            #"insecure-plaintext: must be true or false, not "true" (grove.json, line 1)"#
        ),
        (
            #"{"log-format":"loud"}"#,
            #"log-format: must be one of auto, json, text, not "loud" (grove.json, line 1)"#
        ),
        (
            #"{"listen":[]}"#,
            "listen: must name at least one address (grove.json, line 1)"
        ),
        (
            #"{"listen":[5]}"#,
            "listen: must be a text or a list of texts, not [5] (grove.json, line 1)"
        ),
        (
            #"{"listen":"somewhere:80"}"#,
            "listen: must be localhost:port, address:port, [IPv6 address]:port, one of them after "
                + #"tls:, or unix:path, not "somewhere:80"; names are not looked up "#
                + "(grove.json, line 1)"
        ),
        (
            #"{"tls-min-version": 1.2}"#,
            #"tls-min-version: must be in quotes: "tls-min-version": "1.2" (grove.json, line 1)"#
        ),
        (
            #"{"socket-mode": {"value": 660}}"#,
            #"socket-mode: must be in quotes: "value": "0660" (grove.json, line 1)"#
        ),
        (
            #"{"socket-mode": 661}"#,
            "socket-mode: must be one of 0600, 0660, 0666, not 661 (grove.json, line 1)"
        ),
        (
            #"{"node": 7}"#, #"node: must be in quotes: "node": "7" (grove.json, line 1)"#
        ),
        (
            "{\n\"socket-mode\": 0660}",
            "this is no JSON: this byte can't be part of a number here; a number doesn't begin "
                + #"with 0: a mode is a text in quotes, "0660" (grove.json, line 2)"#
        ),
        (#"{"data":""}"#, "data: must be a path, or :memory: (grove.json, line 1)"),
        (
            "{\"node\":\"n\",\n\"http-allow\":[\"a b\"]}",
            #"http-allow: must be host, host:port or *.domain, not "a b" (grove.json, line 2)"#
        ),
        ("[]", "a configuration is an object, with keys for members (grove.json, line 1)"),
        ("{\n", "this is no JSON: the text ends before the value is complete (grove.json, line 2)"),
    ])
    func `a file with an unknown key or a wrong value is refused, with the place`(
        file: String, message: String
    ) {
        #expect(problems { try load(file) } == [message])
    }

    @Test func `a wrong value is shown shortened, and only as text`() {
        let long = String(repeating: "x", count: 5_000)
        let shown = problems { try load(#"{"max-line":"\#(long)\u001b[2J"}"#) }
        #expect(shown.count == 1 && shown[0].count < 250 && shown[0].contains("xxx…"))
    }

    @Test(arguments: ["", "{", #"{"node":"a","node":"b"}"#, #"{"node":"a",}"#])
    func `a file that is no JSON is refused`(file: String) {
        let told = problems { try load(file) }
        #expect(told.count == 1 && told[0].hasPrefix("this is no JSON: "))
    }

    @Test func `a file has at most a mebibyte`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("grove.json")
        let rest = String(repeating: " ", count: ConfigurationFile.bytesMax - 2)
        try Data("{}\(rest)".utf8).write(to: URL(filePath: path))
        #expect(ConfigurationFile(path: path).problems.isEmpty)
        try Data("{}\(rest) ".utf8).write(to: URL(filePath: path))
        #expect(
            ConfigurationFile(path: path).problems.map(\.message)
                == ["\(path) has more than 1048576 bytes"])
    }

    @Test func `a file that isn't there is refused`() {
        #expect(
            problems {
                try ServerConfiguration.load(
                    file: "/nowhere/grove.json", environment: [:], flags: [:])
            } == ["grove.json can't be read: No such file or directory"])
    }

    @Test func `all errors are reported at once, with their places`() {
        let file = "{\"max-inflight\":0,\n\"max-lin\":1,\n\"listen\":\"x\"}"
        let told = problems {
            try load(
                file, environment: ["GROVE_LOG_FORMAT": "xml", "GROVE_HEARTBEAT_M": "5"],
                flags: ["max-line": "much", "nonsense": "1"])
        }
        #expect(
            told == [
                #"\#(Self.maxLine) "much" (--max-line)"#,
                "nonsense: there is no such key; \(Self.all) (--nonsense)",
                #"log-format: must be one of auto, json, text, not "xml" (GROVE_LOG_FORMAT)"#,
                "GROVE_HEARTBEAT_M: no key has this variable; did you mean GROVE_HEARTBEAT_MS? "
                    + Self.all,
                "max-inflight: must be an integer from 1 to 65536 requests, not 0 "
                    + "(grove.json, line 1)",
                "max-lin: there is no such key; did you mean max-line? \(Self.all) "
                    + "(grove.json, line 2)",
                "listen: must be localhost:port, address:port, [IPv6 address]:port, one of them "
                    + "after tls:, or unix:path, not \"x\"; names are not looked up "
                    + "(grove.json, line 3)",
            ])
        let error = ConfigurationError([ConfigurationProblem(key: "a", "b")])
        #expect(error.exitCode == 78 && error.description == "a: b")
    }
}
