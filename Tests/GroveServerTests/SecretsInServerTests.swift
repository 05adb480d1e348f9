import Foundation
import GroveEffects
import GroveEngine
import GroveTestSupport
import Logging
import OrderedJSON
import Testing
import Transducers

@testable import GroveServer

/// A machine that makes the request of an event and keeps what comes of it.
private enum Asker: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {
        var answers: [JSONValue] = []
    }

    enum Event: Codable, Sendable {
        case ask(JSONValue)
        case answered(JSONValue)
        case failed(String)
    }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .ask(let request):
            return .perform(
                "http", id: "ask", argument: request, then: "answered",
                retry: RetryPolicy(attemptsMax: 1))
        case .answered(let answer): state.answers.append(answer)
        case .failed(let reason): state.answers.append(.string(reason))
        }
        return nil
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? { .failed("\(failure.error)") }
}

extension OverSockets {
    @Suite("Secrets in a server", .timeLimit(.minutes(2)))
    struct SecretsInServerTests {
        private let folder: TemporaryFolder
        private let canary = "sk_live_canary_0123456789"

        init() throws {
            folder = try TemporaryFolder()
            try keep(canary)
        }

        /// Writes the value of the secret `stripe`, or of another one.
        private func keep(_ value: String, as name: String = "stripe", mode: Int = 0o600) throws {
            let path = folder.path(name)
            try Data((value + "\n").utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }

        private func source(_ port: Int) throws -> ConfigurationSource {
            let data = folder.url.appending(path: "data")
            try FileManager.default.createDirectory(
                at: data, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            return ConfigurationSource(
                flags: [
                    "listen": "127.0.0.1:0", "data": data.path + "/grove.db",
                    "http-allow-private": "127.0.0.1:\(port),localhost:\(port)",
                    "http-plaintext": "true", "secrets-dir": folder.url.path,
                    "secrets": "stripe hosts=127.0.0.1:\(port) machines=asker,shop",
                    "http-ca": try TestCertificates.shared.get().certificate("ca"),
                    "log-level": "trace",
                ])
        }

        /// Runs `body` with a server that is configured so, and with its log.
        private func withServer(
            _ source: ConfigurationSource, _ log: KeptLog,
            _ body: (Server, RawClient) async throws -> Void
        ) async throws {
            let configuration = try ServerConfiguration.load(source)
            let server = Server(
                options: configuration.options,
                catalogue: try Catalogue(
                    ["asker", "other"].map {
                        Definition(Asker.self, named: $0, version: "1", handlers: ["http"])
                    }), log: log.logger(level: .trace))
            try await server.start()
            await server.configure(configuration, from: source)
            let client = try RawClient(try #require(await server.listeningAddress))
            try await body(server, client)
            client.hangUp()
            try await server.stop(graceMilliseconds: 4_000)
        }

        /// Lets a machine make a request, and returns what came of it.
        private func ask(
            _ client: RawClient, _ url: String, machine: String = "asker",
            secret: String = "stripe"
        ) throws -> JSONValue? {
            let request =
                #"{"url":"\#(url)","headers":{"Authorization":{"secret":"\#(secret)","#
                + #""prefix":"Bearer "}}}"#
            let settled = try client.ask(
                #"{"op":"send","id":1,"to":"\#(machine)/a","event":{"type":"ask","#
                    + #""value":\#(request)},"settle":"own","timeout_ms":60000}"#)
            try #require(try settled.json("ok") == true, "\(settled)")
            let state = try client.ask(#"{"op":"get","id":2,"to":"\#(machine)/a"}"#)
            return try state.json("state")?["answers"]?.array?.last
        }

        /// All records of the journal as a client sees them, steps included.
        private func records(_ client: RawClient) throws -> [String] {
            _ = try client.ask(
                #"{"op":"subscribe","id":3,"sub":"s","from":"first","select":{"kind":["output","#
                    + #""state","effect","lifecycle","trace"]}}"#)
            var lines: [String] = []
            // One of each event that a client has sent.
            var steps = 0
            while steps < 6 {
                let line = try client.line()
                if line.contains(#""kind":"trace""#) { steps += 1 }
                lines.append(line)
            }
            return lines
        }

        private func backup(_ client: RawClient) async throws -> Data {
            let started = try client.ask(#"{"op":"backup","id":1}"#)
            let id = try #require(try started.json("backup")?.string, "\(started)")
            var size: Int64?
            while size == nil {
                size = try client.ask(#"{"op":"backup","id":1,"backup":"\#(id)"}"#)
                    .json("bytes")?.integer
                await Task.yield()
            }
            var data = Data()
            while Int64(data.count) < size ?? 0 {
                let line = try client.ask(
                    #"{"op":"backup","id":1,"backup":"\#(id)","offset":\#(data.count),"#
                        + #""bytes":65536}"#)
                data += try #require(Data(base64Encoded: line.json("data")?.string ?? ""))
            }
            return data
        }

        @Test func `a value is sent, and is nowhere else`() async throws {
            let echo = try EchoServer()
            let log = KeptLog()
            let source = try source(echo.port)
            var shown: [String] = []
            try await withServer(source, log) { server, client in
                let here = "https://127.0.0.1:\(echo.port)"
                let answer = try ask(client, here + "/")
                // It did arrive: the header had all its bytes.
                #expect(
                    answer?["body"]
                        == [
                            "you": "Bearer [secret:stripe]",
                            "bytes": .integer(Int64("Bearer ".count + canary.count)),
                        ], "\(String(describing: answer))")
                #expect(answer?["headers"]?["x-echo"] == "Bearer [secret:stripe]")
                for (url, machine, secret, reason) in [
                    (here + "/missing", "asker", "stripe", "the server answered 404"),
                    (
                        here + "/", "other", "stripe",
                        "the secret stripe isn't for the machine other"
                    ),
                    (
                        "https://localhost:\(echo.port)/", "asker", "stripe",
                        "the secret stripe isn't for localhost:\(echo.port)"
                    ),
                    (
                        "http://127.0.0.1:\(echo.port)/", "asker", "stripe",
                        "the secret stripe is sent over https only"
                    ),
                    (here + "/", "asker", "none", "there is no secret none"),
                ] {
                    let reply = try ask(client, url, machine: machine, secret: secret)
                    #expect(reply?.string?.contains(reason) == true, "\(String(describing: reply))")
                }
                for op in [
                    #""op":"get","to":"asker/a""#, #""op":"history","to":"asker/a","limit":1000"#,
                    #""op":"effects","to":"asker/a""#, #""op":"effects","to":"other/a""#,
                    #""op":"describe","machine":"asker""#, #""op":"stats""#,
                ] {
                    shown.append(try client.ask("{\"id\":1,\(op)}"))
                }
                #expect(shown[1].contains(#"{"secret":"stripe","prefix":"Bearer "}"#), "the name")
                let backup = try await backup(client)
                #expect(backup.count > 4_096)
                #expect(backup.range(of: Data(canary.utf8)) == nil)
                shown += try records(client)
            }
            let configuration = try ServerConfiguration.load(source)
            shown += configuration.settings.map { "\($0)" }
            shown.append("\(configuration)")
            dump(configuration, to: &shown[0])
            #expect(!log.lines(with: "listening").isEmpty)
            shown += log.lines(with: " ")
            for text in shown { #expect(!text.contains("canary"), "\(text.prefix(2_000))") }
            try checkFiles()
        }

        /// Searches all files of the data's folder for the value.
        private func checkFiles() throws {
            let data = folder.url.appending(path: "data")
            let files = try FileManager.default.contentsOfDirectory(atPath: data.path)
            #expect(files.contains("grove.db"))
            for file in files {
                let bytes = try Data(contentsOf: data.appending(path: file))
                #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(file)")
            }
        }

        @Test func `a reload reads values again, and a wrong one changes nothing`() async throws {
            let echo = try EchoServer()
            let log = KeptLog()
            try await withServer(try source(echo.port), log) { server, client in
                func bytes() throws -> Int64? {
                    try ask(client, "https://127.0.0.1:\(echo.port)/")?["body"]?["bytes"]?.integer
                }
                #expect(try bytes() == Int64("Bearer ".count + canary.count))
                try keep("sk_live_canary")
                _ = await server.reload()
                #expect(try bytes() == Int64("Bearer sk_live_canary".count))
                #expect(log.lines(with: "secrets read again").count == 1)
                try keep("sk_live_canary_x\nsk_live_canary_y")
                _ = await server.reload()
                let lines = log.lines(with: "not reloaded")
                #expect(lines.count == 1 && lines[0].contains("has more than one line"))
                #expect(!lines[0].contains("canary"))
                #expect(try bytes() == Int64("Bearer sk_live_canary".count))
            }
        }

        @Test func `a folder where every user can put files is refused, at the start and later`()
            async throws
        {
            let echo = try EchoServer()
            let log = KeptLog()
            let source = try source(echo.port)
            let options = try ServerConfiguration.load(source).options.http
            func setMode(_ mode: Int) throws {
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: folder.url.path)
            }
            try await withServer(source, log) { server, client in
                try keep("sk_live_canary")
                try setMode(0o703)
                _ = await server.reload()
                let lines = log.lines(with: "not reloaded")
                #expect(lines.count == 1 && lines[0].contains("every user can put files into"))
                #expect(lines[0].contains("chmod 700 \(folder.url.path)"))
                let answer = try ask(client, "https://127.0.0.1:\(echo.port)/")
                let bytes = answer?["body"]?["bytes"]?.integer
                #expect(bytes == Int64("Bearer ".count + canary.count), "the former one")
            }
            let failure = #expect(throws: Server.Failure.self) { try Server.readSecrets(options) }
            #expect(failure?.exitCode == 78)
            // Opened for its files and not to be listed.
            try setMode(0o711)
            #expect(throws: Never.self) { try Server.readSecrets(options) }
        }

        @Test func `what is wrong with a secret or an authority ends the start with 78`()
            async throws
        {
            try keep("open-to-all", as: "open", mode: 0o644)
            try keep("", as: "empty")
            let missing = "/none.pem"
            for (flags, text) in [
                (["secrets": "none hosts=h machines=m"], "secrets: none: "),
                (["secrets": "open hosts=h machines=m"], "chmod 600"),
                (["secrets": "empty hosts=h machines=m"], "is empty"),
                (["secrets": "stripe hosts=h machines=m", "secrets-dir": ""], "secrets-dir"),
                (["http-ca": missing], "http-ca: /none.pem: can't be opened"),
                (["http-ca": folder.path("empty")], "no certificates in PEM form"),
            ] as [([String: String], String)] {
                let all = ["data": ":memory:", "listen": "127.0.0.1:0"]
                    .merging(["secrets-dir": folder.url.path]) { $1 }.merging(flags) { $1 }
                let configuration = try ServerConfiguration.load(
                    file: nil, environment: [:], flags: all)
                let server = try Server(configuration, hosting: [], handlers: .init())
                let failure = await #expect(throws: Server.Failure.self) {
                    try await server.start()
                }
                #expect(failure?.exitCode == 78)
                #expect(failure?.message.contains(text) == true, "\(failure?.message ?? "")")
            }
        }

        @Test func `the texts of secrets are checked, and flags may have commas in them`() throws {
            func grants(_ text: String) throws -> [String] {
                try ServerConfiguration.load(
                    file: nil, environment: ["GROVE_SECRETS": text], flags: [:]
                ).options.http.secretGrants.map(\.description)
            }
            let two = "a hosts=h,i:1 machines=m,n,b hosts=j machines=o"
            #expect(try grants(two) == ["a hosts=h,i:1 machines=m,n", "b hosts=j machines=o"])
            for wrong in ["A hosts=h machines=m", "a machines=m", "a hosts=h machines=m/1"] {
                let error = #expect(throws: ConfigurationError.self) { try grants(wrong) }
                #expect(error?.description.hasPrefix("secrets: ") == true)
            }
        }

        @Test func `without secrets-dir, the folder of systemd's credentials is used`() throws {
            func folder(_ flags: [String: String], _ variable: String?) throws -> [String?] {
                var source = ConfigurationSource(flags: flags)
                source.environment = variable.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:]
                let configuration = try ServerConfiguration.load(source)
                let setting = configuration.settings.first { $0.key == "secrets-dir" }
                return [
                    configuration.options.http.secretsFolder, setting?.origin.description,
                ]
            }
            #expect(try folder([:], nil) == [nil, "default"])
            #expect(try folder([:], "/run/c") == ["/run/c", "CREDENTIALS_DIRECTORY"])
            #expect(
                try folder(["secrets-dir": ""], "/run/c") == ["/run/c", "CREDENTIALS_DIRECTORY"])
            #expect(try folder(["secrets-dir": "/s"], "/run/c") == ["/s", "--secrets-dir"])
            #expect(try folder(["secrets-dir": "/s"], "") == ["/s", "--secrets-dir"])
        }
    }
}
