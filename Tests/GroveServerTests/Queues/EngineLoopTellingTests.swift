import GroveEngine
import GroveNetwork
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveServer

extension OverSockets {
    @Suite("Log lines about the data", .timeLimit(.minutes(1)))
    struct EngineLoopTellingTests {
        private static let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#

        @Test func `the log says when the disk is full, and when there is room again`()
            async throws
        {
            let log = KeptLog()
            let faults = TestStore.Faults()
            try await RunningServer.with({ $0.store = TestStore.source(faults) }, log: log.logger())
            { running in
                let client = try running.connect()
                #expect(try client.ask(Self.send).json("ok") == true)
                faults.fail(.full)
                for _ in 0..<50 {
                    let reply = try client.ask(Self.send)
                    #expect(try reply.json("error")?["code"] == "STORAGE_FULL")
                }
                let full = log.lines(with: "the disk is full")
                #expect(full.count == 1 && full[0].contains(" error "))
                #expect(full.first?.contains("data=test") == true)
                #expect(log.lines(with: "there is room on the disk again") == [])
                faults.fail(nil)
                #expect(try client.ask(Self.send).json("ok") == true)
                let room = log.lines(with: "there is room on the disk again")
                #expect(room.count == 1 && room[0].contains(" notice "))
            }
        }

        @Test func `the log says when a stored state can't be read, and not each time`()
            async throws
        {
            let log = KeptLog()
            let folder = try TemporaryFolder()
            let store = StoreSource.file(folder.path("grove.db"))
            try await Self.serve(Table.old, store, log) { client in
                let reply = try client.ask(Self.order)
                #expect(try reply.json("ok") == true)
            }
            try await Self.serve(Table.new, store, log) { client in
                for _ in 0..<20 {
                    let reply = try client.ask(Self.order)
                    #expect(try reply.json("error")?["code"] == "EVAL_ERROR")
                }
            }
            let lines = log.lines(with: "something that is stored can't be read")
            #expect(lines.count == 1 && lines[0].contains(" warning "))
            #expect(lines.first?.contains("people") == true)
        }

        private static let order = #"{"op":"send","id":1,"to":"table/t","event":"order"}"#

        private static func serve(
            _ table: Definition, _ store: StoreSource, _ log: KeptLog,
            _ body: (RawClient) throws -> Void
        ) async throws {
            var options = ServerOptions()
            options.listen = [.loopbackV4(port: 0)]
            options.store = store
            let server = Server(
                options: options, catalogue: try Catalogue([table]), log: log.logger())
            try await server.start()
            let address = try #require(await server.listeningAddress)
            let client = try RawClient(address)
            try body(client)
            client.hangUp()
            try await server.stop(graceMilliseconds: 4_000)
        }
    }
}

/// A machine before and after one of its state's members was renamed.
private enum Table {
    enum Event: Codable, Sendable { case order }

    enum Old: EffectTransducer, InitialState {
        typealias Event = Table.Event
        typealias Output = Int
        struct State: NonTerminal, Codable, Sendable { var guests = 0 }
        static var initialState: State { State() }
        static func update(_ state: inout State, event: Event) -> (Effect?, Int) {
            state.guests += 1
            return (nil, state.guests)
        }
    }

    enum New: EffectTransducer, InitialState {
        typealias Event = Table.Event
        typealias Output = Int
        struct State: NonTerminal, Codable, Sendable {
            var people = 0
        }
        static var initialState: State { State() }
        static func update(_ state: inout State, event: Event) -> (Effect?, Int) {
            state.people += 1
            return (nil, state.people)
        }
    }

    static let old = Definition(Old.self, named: "table", version: "1")
    static let new = Definition(New.self, named: "table", version: "2")
}
