import GroveEngine
import GroveNetwork
import GroveProtocol
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("Server", .timeLimit(.minutes(1)))
    struct ServerTests {
        @Test func `a client is greeted, sends an event and reads the state`() async throws {
            try await RunningServer.with { running in
                let client = try RawClient(running.address, readsGreeting: false)
                let greeting = try client.line()
                #expect(greeting.hasPrefix(#"{"op":"hello","server":"grove","version":"0.1.0""#))
                let ack = try client.ask(
                    #"{"op":"send","id":1,"to":"counter/c","event":"increment","reply":"state"}"#)
                #expect(try ack.json("state") == ["count": 1])
                #expect(try ack.json("v") == 1)
                let got = try client.ask(#"{"op":"get","id":"x","to":"counter/c"}"#)
                #expect(
                    got.hasPrefix(#"{"id":"x","ok":true,"state":{"count":1},"v":1,"done":false"#))
            }
        }

        @Test func `pipelined events apply in order, and every one is answered`() async throws {
            try await RunningServer.with { running in
                let client = try running.connect()
                let count = 5_000
                let lines = (1...count).map {
                    #"{"op":"send","id":\#($0),"to":"counter/c","event":"increment"}"# + "\n"
                }
                try client.send(lines.joined())
                for id in 1...count {
                    let reply = try client.line()
                    try #require(try reply.json("id") == .integer(Int64(id)))
                    try #require(try reply.json("v") == .integer(Int64(id)))
                }
            }
        }

        @Test func `under strict order replies come in the order asked`() async throws {
            try await RunningServer.with { running in
                let client = try running.connect()
                _ = try client.ask(#"{"op":"hello","id":0,"order":"strict"}"#)
                let lines = (1...300).map { id in
                    switch id % 3 {
                    case 0: #"{"op":"ping","id":\#(id)}"#
                    case 1:
                        #"{"op":"send","id":\#(id),"to":"counter/c-\#(id)","event":"increment"}"#
                    default: #"{"op":"fly","id":\#(id)}"#
                    }
                }
                try client.send(lines.joined(separator: "\n") + "\n")
                for id in 1...300 {
                    #expect(try client.line().json("id") == .integer(Int64(id)))
                }
            }
        }

        @Test func `two subscribers on two connections see the same record`() async throws {
            try await RunningServer.with { running in
                let clients = [try running.connect(), try running.connect()]
                for client in clients {
                    _ = try client.ask(
                        #"{"op":"subscribe","id":1,"sub":"s","select":{"kind":["output"]}}"#)
                    #expect(try client.line().json("mark") == "live")
                }
                let sender = try running.connect()
                _ = try sender.ask(#"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#)
                let records = try clients.map { try $0.line() }
                #expect(records[0] == records[1])
                #expect(try records[0].json("data") == 1)
                #expect(try records[0].json("cause") == ["event": "increment"])
            }
        }

        @Test func `stats have numbers of engine, store and sockets`() async throws {
            try await RunningServer.with { running in
                let client = try running.connect()
                let other = try running.connect()
                let stats = try client.ask(#"{"op":"stats","id":1}"#)
                #expect(try stats.json("connections") == 2)
                #expect(try stats.json("connections_accepted") == 2)
                for name in ["engine_requests", "bytes_in", "bytes_out", "uptime_ms", "requests"] {
                    #expect(try stats.json(name)?.integer != nil, "\(name)")
                }
                other.hangUp()
            }
        }

        // MARK: Starting

        @Test(arguments: ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[::ffff:0.0.0.0]:0"])
        func `an address that others can reach is refused`(text: String) async throws {
            let address = try #require(SocketAddress(text))
            var failure: Server.Failure?
            do {
                _ = try await RunningServer.start { $0.listen = [address] }
            } catch let error as Server.Failure {
                failure = error
            }
            #expect(failure?.exitCode == 78)
            #expect(failure?.message.contains("--insecure-plaintext") == true)
        }

        @Test func `an address that others can reach is accepted where it is allowed`() async throws
        {
            let address = try #require(SocketAddress("0.0.0.0:0"))
            let running = try await RunningServer.start {
                $0.listen = [address]
                $0.allowsInsecurePlaintext = true
            }
            let client = try RawClient(.loopbackV4(port: running.address.port))
            client.hangUp()
            try await running.stop()
        }

        @Test func `localhost means both loopback addresses, on one port`() async throws {
            let addresses = try ServerConfiguration.addresses(["localhost:0"])
            let running = try await RunningServer.start { $0.listen = addresses }
            let bound = await running.server.listeningAddresses
            #expect(Set(bound.map(\.port)).count == 1)
            for address in bound {
                let client = try RawClient(address)
                #expect(try client.ask(#"{"op":"ping","id":1}"#).json("ok") == true)
            }
            try await running.stop()
        }

        @Test func `a port in use ends the start, and nothing stays open`() async throws {
            try await RunningServer.with { running in
                var failure: Server.Failure?
                do {
                    _ = try await RunningServer.start { $0.listen = [running.address] }
                } catch let error as Server.Failure {
                    failure = error
                }
                #expect(failure?.exitCode == 78)
            }
        }

        // MARK: Storage

        @Test func `a store that fails ends the server, and no ack leaves after that`() async throws
        {
            let faults = TestStore.Faults()
            let (failed, report) = AsyncStream.makeStream(of: StoreError.self)
            let running = try await RunningServer.start({ $0.store = TestStore.source(faults) }) {
                report.yield($0)
            }
            let client = try running.connect()
            let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#
            #expect(try client.ask(send).json("ok") == true)
            faults.fail(.inputOutput("the disk is gone"))
            try client.send(String(repeating: send + "\n", count: 100))
            var reports = failed.makeAsyncIterator()
            #expect(await reports.next() == .inputOutput("the disk is gone"))
            faults.fail(nil)
            try client.send(send + "\n" + #"{"op":"ping","id":2}"# + "\n")
            #expect(try client.line().json("id") == 2)
            try await running.stop()
            #expect(try client.lineOrEnd()?.json("op") == "draining")
            #expect(try client.lineOrEnd() == nil)
        }

        @Test func `a full disk is answered, and passes`() async throws {
            let faults = TestStore.Faults()
            try await RunningServer.with({ $0.store = TestStore.source(faults) }) { running in
                let client = try running.connect()
                let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#
                #expect(try client.ask(send).json("v") == 1)
                faults.fail(.full)
                #expect(try client.ask(send).contains(#""code":"STORAGE_FULL""#))
                #expect(try client.ask(#"{"op":"get","id":1,"to":"counter/c"}"#).json("v") == 1)
                faults.fail(nil)
                #expect(try client.ask(send).json("v") == 2)
            }
        }
    }
}
