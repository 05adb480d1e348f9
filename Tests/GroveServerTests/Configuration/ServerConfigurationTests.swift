import Foundation
import GroveEffects
import GroveEngine
import GroveProtocol
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
        let url = FileManager.default.temporaryDirectory.appending(
            path: "grove-\(UUID().uuidString).json")
        try Data(file.utf8).write(to: url)
        // Left to the system's own cleaning where it can't be removed.
        defer { try? FileManager.default.removeItem(at: url) }
        return try ServerConfiguration.load(
            file: url.path(percentEncoded: false), environment: environment, flags: flags)
    }

    private func failure(_ body: () throws -> ServerConfiguration) -> ConfigurationError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? ConfigurationError
        }
    }

    @Test func `nothing said is the defaults`() throws {
        let configuration = try load()
        let options = ServerOptions()
        #expect(configuration.options.limits == options.limits)
        #expect(configuration.options.listen == options.listen)
        #expect(configuration.options.graceMilliseconds == options.graceMilliseconds)
        #expect(configuration.options.store.name == "grove.db")
        #expect(configuration.options.node == nil)
        #expect(configuration.logFormat == .json)
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

    @Test func `every key reaches the options`() throws {
        let flags = [
            "listen": "127.0.0.1:1,[::1]:2", "insecure-plaintext": "true", "data": ":memory:",
            "node": "n", "log-level": "debug", "log-format": "text", "max-line": "1001",
            "max-inflight": "2", "max-pending": "70000", "max-connections": "3",
            "max-outstanding": "4", "resident-instances": "5", "heartbeat-ms": "101",
            "http-allow": "api.example.com,*.example.org:8443", "http-allow-private": "localhost",
            "http-plaintext": "true", "slow-consumer-ms": "102", "line-timeout-ms": "103",
            "grace-ms": "104", "socket-mode": "0660", "max-connections-per-address": "6",
            "max-buffers": "2000000",
        ]
        #expect(Set(flags.keys) == Set(ConfigurationKey.all.map(\.name)))
        let configuration = try load(flags: flags)
        let options = configuration.options
        #expect(options.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2"])
        #expect(options.allowsInsecurePlaintext && options.node == "n")
        #expect(options.store.name == "memory")
        #expect(
            options.http.allowedHosts.map { "\($0) \($0.allowsPrivateAddresses)" }
                == ["api.example.com false", "*.example.org:8443 false", "localhost true"])
        #expect(options.http.allowPlaintext)
        #expect(configuration.logLevel == .debug && configuration.logFormat == .text)
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
        #expect(options.unixSocketMode == 0o660)
        #expect(options.limits == limits)
        #expect(options.engine.residentInstancesMax == 5)
        #expect(options.graceMilliseconds == 104)
    }

    @Test func `the configuration that comes with Grove is read`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "Config/grove.json").path(percentEncoded: false)
        let configuration = try ServerConfiguration.load(
            file: path, environment: [:], flags: [:])
        #expect(configuration.options.limits == ServerLimits())
    }

    @Test(arguments: [
        (#"{"max-lines":5}"#, "max-lines"), (#"{"max-line":"5000"}"#, "max-line"),
        (#"{"max-line":5000.0}"#, "max-line"), (#"{"max-line":1}"#, "max-line"),
        (#"{"max-line":{"default":5000}}"#, "max-line"),
        (#"{"max-line":{"value":5000,"why":"x"}}"#, "max-line"),
        (#"{"insecure-plaintext":1}"#, "insecure-plaintext"),
        (#"{"insecure-plaintext":"true"}"#, "insecure-plaintext"),
        (#"{"log-level":"loud"}"#, "log-level"), (#"{"listen":[]}"#, "listen"),
        (#"{"listen":"unix:"}"#, "listen"), (#"{"socket-mode":"0777"}"#, "socket-mode"),
        (#"{"listen":[5]}"#, "listen"), (#"{"listen":"somewhere:80"}"#, "listen"),
        (#"{"listen":null}"#, "listen"), (#"{"data":""}"#, "data"),
    ])
    func `a file with an unknown key or a wrong value is refused by name`(
        file: String, key: String
    ) {
        let error = failure { try load(file) }
        #expect(error?.key == key)
        #expect(error?.exitCode == 78)
        #expect(error?.description.hasPrefix(key) == true)
    }

    @Test(arguments: ["", "[]", "{", #"{"node":"a","node":"b"}"#, #"{"node":"a",}"#])
    func `a file that is no JSON object is refused`(file: String) {
        #expect(failure { try load(file) } != nil)
    }

    @Test func `a file that isn't there is refused`() {
        let error = failure {
            try ServerConfiguration.load(file: "/nowhere/grove.json", environment: [:], flags: [:])
        }
        #expect(error?.message.contains("No such file") == true)
    }

    @Test func `wrong flags and variables are refused, and told where they stand`() {
        let flag = failure { try load(flags: ["max-line": "much"]) }
        #expect(flag?.message == "--max-line must be an integer from 256 to 16777214, not much")
        let variable = failure { try load(environment: ["GROVE_LOG_FORMAT": "xml"]) }
        #expect(variable?.message == "GROVE_LOG_FORMAT must be one of json, text, not xml")
        #expect(failure { try load(flags: ["nonsense": "1"]) }?.key == "nonsense")
        #expect(failure { try load(environment: ["GROVE_NONSENSE": "1"]) } == nil)
    }
}
