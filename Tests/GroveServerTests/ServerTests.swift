import GroveProtocol
import OrderedJSON
import Testing

@testable import GroveServer

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
            #expect(got.hasPrefix(#"{"id":"x","ok":true,"state":{"count":1},"v":1,"done":false"#))
        }
    }
}
