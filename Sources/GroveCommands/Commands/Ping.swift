import ArgumentParser
import GroveClient

struct Ping: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Test the connection to the server and measure a round trip.",
        discussion: """
            Prints the address, the server's version, and the time of one round trip on an open \
            connection in milliseconds. With --json prints the server's greeting, with "rtt_us" in \
            microseconds. Exit code 69 means that no server answered.

              grove ping
              grove ping --server example.org:7400 --timeout 500ms
            """)

    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let greeting = try await client.connect()
        let micros = try await client.ping() / .microseconds(1)
        if format.json {
            var text = greeting.text
            text.removeLast()
            text += Array(",\"rtt_us\":\(Int64(micros))}".utf8)
            try Output.line(text)
        } else {
            let millis = (micros / 10).rounded() / 100
            let version = format.style.safe(greeting.version ?? "?")
            try Output.line("\(client.options.server)  grove \(version)  \(millis) ms")
        }
    }
}
