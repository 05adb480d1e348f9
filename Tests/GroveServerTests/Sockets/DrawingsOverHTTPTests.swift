import Dispatch
import Foundation
import GroveHTTP
import GroveNetwork
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("Drawings over HTTP", .timeLimit(.minutes(2)))
    struct DrawingsOverHTTPTests {
        private struct Answer {
            var status = 0
            var fields: [String: String] = [:]
            var body = ""
        }

        /// Runs `body` with a server that speaks HTTP, and a semaphore: no drawing is made before
        /// it is signalled, if `isHeld`.
        private func serve(
            isHeld: Bool = false,
            _ body: (RunningServer, SocketLoop, SocketAddress, DispatchSemaphore) async throws ->
                Void
        ) async throws {
            try await RunningServer.with({
                $0.web.addresses = [.init(.loopbackV4(port: 0))]
            }) { running in
                let text = try #require(await running.server.webAddresses.first)
                let address = try #require(SocketAddress(text.replacing("http://", with: "")))
                let io = try #require(await running.server.io)
                let semaphore = DispatchSemaphore(value: 0)
                if isHeld { io.drawingThread.async { semaphore.wait() } }
                try await body(running, io, address, semaphore)
            }
        }

        private func send(
            _ address: SocketAddress, _ line: String, body: String = ""
        ) throws -> RawClient {
            let client = try RawClient(address, readsGreeting: false)
            try send(client, line, body: body)
            return client
        }

        private func send(
            _ client: RawClient, _ line: String, body: String = "", fields: String = ""
        ) throws {
            var text = line + " HTTP/1.1\r\nHost: localhost\r\n" + fields
            if !body.isEmpty {
                text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            }
            try client.send(text + "\r\n" + body)
        }

        private func answer(_ client: RawClient) throws -> Answer {
            var answer = Answer()
            answer.status = Int(try client.line().split(separator: " ")[1]) ?? 0
            while true {
                let field = try client.line().replacing("\r", with: "")
                if field.isEmpty { break }
                let parts = field.split(separator: ": ", maxSplits: 1).map(String.init)
                answer.fields[parts[0]] = parts.count > 1 ? parts[1] : ""
            }
            let length = Int(answer.fields["Content-Length"] ?? "") ?? 0
            answer.body = String(decoding: try client.bytes(length), as: UTF8.self)
            return answer
        }

        private func waiting(_ io: SocketLoop) async -> Int { await io.drawings.waitingCount }

        private func drawing(_ io: SocketLoop) async -> Int { await io.drawingConnections }

        private static let order = "GET /v1/machines/order/diagram.svg"
        private static let turnstile = "GET /v1/machines/turnstile/diagram.svg"

        @Test func `a machine is drawn with the ids of its description`() async throws {
            try await serve { _, _, address, _ in
                let client = try send(address, Self.order)
                let drawing = try answer(client)
                #expect(drawing.status == 200)
                #expect(drawing.fields["Content-Type"] == "image/svg+xml")
                let policy = drawing.fields["Content-Security-Policy"]
                #expect(policy == "sandbox; default-src 'none'; style-src 'unsafe-inline'")
                #expect(drawing.body.hasPrefix("<svg ") && drawing.body.hasSuffix("</svg>\n"))
                try send(client, "GET /v1/machines/order")
                let graph = try answer(client).body.json("graph")
                for name in ["nodes", "edges"] {
                    let ids = graph?[name]?.array?.compactMap { $0["id"]?.string } ?? []
                    #expect(ids.count > 2)
                    let attribute = "data-\(name.dropLast())"
                    let drawn = drawing.body.matches(
                        of: try Regex(attribute + #"="([^"]+)""#, as: (Substring, Substring).self)
                    ).flatMap { $0.output.1.split(separator: " ").map(String.init) }
                    #expect(Set(drawn) == Set(ids), "\(attribute)")
                }
                // The second one is kept, and the client has the first one.
                try send(client, Self.order)
                #expect(try answer(client).body == drawing.body)
                let tag = try #require(drawing.fields["ETag"])
                try send(client, Self.order, fields: "If-None-Match: \(tag)\r\n")
                #expect(try answer(client).status == 304)
            }
        }

        @Test func `drawings that are made leave the other clients alone`() async throws {
            try await serve(isHeld: true) { running, io, address, semaphore in
                let first = try send(address, Self.order)
                let second = try send(address, Self.turnstile)
                while await waiting(io) != 1 { await Task.yield() }
                let other = try send(
                    address, "POST /v1/instances/counter/a/events", body: #""increment""#)
                #expect(try answer(other).status == 200)
                let lines = try running.connect()
                #expect(try lines.ask(#"{"op":"ping","id":1}"#).contains(#""ok":true"#))
                semaphore.signal()
                #expect(try answer(first).body.contains("<title>order</title>"))
                #expect(try answer(second).body.contains("<title>turnstile</title>"))
            }
        }

        @Test func `the 65th drawing that would wait is refused`() async throws {
            try await serve(isHeld: true) { _, io, address, semaphore in
                let first = try send(address, Self.order)
                let clients = try (0..<DrawingDesk.waitingMax).map { _ in
                    try send(address, Self.turnstile)
                }
                while await waiting(io) != DrawingDesk.waitingMax { await Task.yield() }
                let late = try send(address, Self.turnstile)
                let refused = try answer(late)
                #expect(refused.status == 503 && refused.fields["Retry-After"] == "1")
                #expect(refused.body.contains(#""code":"OVERLOADED""#))
                // A client that is gone makes room.
                clients[5].reset()
                while await waiting(io) == DrawingDesk.waitingMax { await Task.yield() }
                try send(late, Self.turnstile)
                while await waiting(io) != DrawingDesk.waitingMax { await Task.yield() }
                semaphore.signal()
                #expect(try answer(first).status == 200)
                let drawing = try answer(late)
                #expect(drawing.status == 200)
                for (number, client) in clients.enumerated() where number != 5 {
                    #expect(try answer(client).body == drawing.body)
                }
            }
        }

        @Test func `a client that has ended its stream gets its drawing`() async throws {
            try await serve(isHeld: true) { _, io, address, semaphore in
                let client = try send(address, Self.order)
                while await drawing(io) == 0 { await Task.yield() }
                client.shutdownWrite()
                semaphore.signal()
                #expect(try answer(client).status == 200)
                #expect(try client.reachesEnd())
            }
        }

        @Test func `what is being drawn when the server stops is answered first`() async throws {
            try await serve(isHeld: true) { running, io, address, semaphore in
                let first = try send(address, Self.order)
                let second = try send(address, Self.turnstile)
                while await waiting(io) != 1 { await Task.yield() }
                async let stopped: Void = running.stop()
                while !(await io.drawings.isClosing) { await Task.yield() }
                semaphore.signal()
                for client in [first, second] {
                    #expect(try answer(client).status == 200)
                    #expect(try client.reachesEnd())
                }
                try await stopped
            }
        }
    }
}

extension SocketLoop {
    /// The number of connections whose next answer is a drawing.
    fileprivate var drawingConnections: Int {
        connections.values.count { $0.http?.connection.isDrawing == true }
    }
}
