import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// Commands for a server with TLS.
@Suite("grove: TLS", .ownThreads, .timeLimit(.minutes(3)))
struct ToolTLSTests {
    @Test func `flags and variables name the authority`() async throws {
        let served = try SecureServers.serve()
        let ca = try TestCertificates.shared.get().certificate("ca")
        let address = served.address.description
        let send = try await Tool.run(
            "send", "counter/a", "increment", "--server", address, "--tls-ca", ca)
        #expect(send.code == 0 && send.lines == ["counter/a v1  changed"], "\(send.notes)")
        let get = try await Tool.run(
            ["get", "counter/a", "--json"], server: served.address,
            environment: ["GROVE_SERVER_CA": ca])
        #expect(get.code == 0 && get.output.contains(#""count":1"#), "\(get.notes)")
    }

    @Test func `an unknown authority is 69, with the flags that help`() async throws {
        let served = try SecureServers.serve()
        let outcome = try await Tool.run("get", "counter/a", "--json", server: served.address)
        #expect(outcome.code == 69)
        #expect(outcome.notes.hasPrefix("error: TLS_FAILED: \(served.address): no authority"))
        #expect(outcome.notes.contains("\nhint: name the file of its authority with --tls-ca"))
        let error = try JSONValue(parsing: Array(outcome.output.utf8))["error"]
        #expect(error?["code"] == "TLS_FAILED" && error?["retry"] == false)
    }

    @Test func `a pin is enough, and a wrong one is refused`() async throws {
        let served = try SecureServers.serve("strange")
        let right = try SecureServers.pin("strange")
        let good = try await Tool.run("ping", "--tls-pin", right, server: served.address)
        #expect(good.code == 0, "\(good.notes)")
        let variable = try await Tool.run(
            ["ping"], server: served.address, environment: ["GROVE_SERVER_PIN": right])
        #expect(variable.code == 0, "\(variable.notes)")
        let wrong = try await Tool.run(
            "ping", "--tls-pin", try SecureServers.pin("server"), server: served.address)
        #expect(wrong.code == 69 && wrong.notes.contains("isn't the pinned one"))
    }

    @Test func `a required certificate is shown`() async throws {
        let served = try SecureServers.serve(clients: "required")
        let files = try TestCertificates.shared.get()
        let bare = try await Tool.run(
            "ping", "--tls-ca", files.certificate("ca"), server: served.address)
        #expect(bare.code == 69)
        #expect(bare.notes.contains("hint: name the files of one with --tls-certificate and"))
        let own = try await Tool.run(
            "ping", "--tls-ca", files.certificate("ca"), "--tls-certificate",
            files.certificate("client"), "--tls-key", files.key("client"), server: served.address)
        #expect(own.code == 0, "\(own.notes)")
        let variables = try await Tool.run(
            ["ping"], server: served.address,
            environment: [
                "GROVE_SERVER_CA": files.certificate("ca"),
                "GROVE_CLIENT_CERTIFICATE": files.certificate("client"),
                "GROVE_CLIENT_KEY": files.key("client"),
            ])
        #expect(variables.code == 0, "\(variables.notes)")
    }

    @Test func `bench measures through TLS, with as many events as without`() async throws {
        let served = try SecureServers.serve(clients: "required")
        let files = try TestCertificates.shared.get()
        let flags = [
            "bench", "--connections", "20", "--pipeline", "100", "--events", "20000", "--json",
            "--tls-certificate", files.certificate("client"), "--tls-key", files.key("client"),
            "--tls-ca", files.certificate("ca"),
        ]
        let pin = try SecureServers.pin("server")
        let outcome = try await Tool.run(flags + ["--tls-pin", pin], server: served.address)
        #expect(outcome.code == 0, "\(outcome.notes)")
        let report = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(report["acked"] == 20_000 && report["unknown"] == 0 && report["broken"] == 0)
        let other = try await Tool.run(
            flags + ["--tls-pin", try SecureServers.pin("other")], server: served.address)
        #expect(other.code == 69 && other.notes.contains("isn't the pinned one"), "\(other.notes)")
    }

    @Test(arguments: [
        (["--tls-pin", "sha256/\(String(repeating: "A", count: 43))="], "isn't the pinned one"),
        (["--tls-ca", "stranger"], "no authority that is known here"),
        (["--tls-ca", "ca"], "requires a certificate of the client"),
        (["--tls-ca", "missing"], "missing.pem: can't be opened"),
    ])
    func `bench says why TLS failed`(flags: [String], text: String) async throws {
        let served = try SecureServers.serve(clients: "required")
        let files = try TestCertificates.shared.get()
        let path = flags[0] == "--tls-ca" ? files.certificate(flags[1]) : flags[1]
        let outcome = try await Tool.run(
            ["bench", "--connections", "2", "--events", "8", flags[0], path],
            server: served.address)
        #expect(outcome.code == 69 && outcome.notes.contains(text), "\(outcome.notes)")
    }

    @Test func `watch resumes when the server is back`() async throws {
        let served = try SecureServers.serve()
        let ca = try TestCertificates.shared.get().certificate("ca")
        let watch = try ToolProcess(
            [
                "watch", "counter", "--kind", "output", "--json", "--from", "first", "--count", "2",
                "--tls-ca", ca,
            ], server: served.address)
        let variables = ["GROVE_SERVER_CA": ca]
        func send() async throws {
            let sent = try await Tool.run(
                ["send", "counter/a", "increment"], server: served.address,
                environment: variables)
            #expect(sent.code == 0, "\(sent.notes)")
        }
        try await send()
        #expect(watch.line()?.contains(#""v":1,"#) == true)
        served.kill()
        try served.start()
        try await send()
        #expect(watch.line()?.contains(#""v":2,"#) == true)
        #expect(watch.outcome().code == 0)
    }

    @Test(arguments: [
        (["ping", "--server", "h:1", "--tls-ca", "/ca"], "--tls-ca is for a server with TLS"),
        (["ping", "--server", "unix:/s", "--tls-key", "/k"], "--tls-key is for a server"),
        (["ping", "--server", "tls:h:1", "--tls-pin", "sha256/x"], "--tls-pin"),
        (["ping", "--server", "tls:h:1", "--tls-certificate", "/c"], "go together"),
        (["ping", "--server", "tls:h"], "--server"),
        (["ping", "--server", "tls:7443"], "--server"),
    ])
    func `a wrong command line is 64`(arguments: [String], text: String) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.code == 64 && outcome.notes.contains(text), "\(outcome.notes)")
    }

    @Test func `variables are checked where they are used`() async throws {
        let wrong = try await Tool.run(
            ["ping", "--server", "tls:h:1"], environment: ["GROVE_SERVER_PIN": "x"])
        #expect(wrong.code == 64 && wrong.notes.contains("GROVE_SERVER_PIN is no pin"))
        // They are for other commands, too.
        let plain = try ServedFile()
        let ignored = try await Tool.run(
            ["ping"], server: plain.address,
            environment: ["GROVE_SERVER_PIN": "x", "GROVE_SERVER_CA": "/nonexistent"])
        #expect(ignored.code == 0, "\(ignored.notes)")
    }

    @Test func `a file that isn't there is named`() async throws {
        let outcome = try await Tool.run(
            "ping", "--server", "tls:127.0.0.1:1", "--tls-ca", "/nonexistent/ca.pem")
        #expect(outcome.code == 69)
        #expect(outcome.notes.contains("/nonexistent/ca.pem: can't be opened"), "\(outcome.notes)")
    }
}
