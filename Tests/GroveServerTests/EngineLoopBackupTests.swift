import Foundation
import GroveStorage
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    /// Backups of a running server, over sockets.
    @Suite("Server: backup", .timeLimit(.minutes(2)))
    struct EngineLoopBackupTests {
        private func withFolder(_ body: (String) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "grove-backup-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            // If removal fails, the system cleans up its temporary files later.
            defer { try? FileManager.default.removeItem(at: folder) }
            try await body(folder.path(percentEncoded: false))
        }

        /// Waits until a backup is complete and returns its length.
        private func length(of id: String, _ client: RawClient) throws -> Int64 {
            while true {
                let status = try client.ask(#"{"op":"backup","id":1,"backup":"\#(id)"}"#)
                try #require(try status.json("ok") == true, "\(status)")
                if case .integer(let bytes) = try status.json("bytes") { return bytes }
            }
        }

        private func fetch(_ id: String, _ client: RawClient, chunk: Int) throws -> Data {
            let all = try length(of: id, client)
            var data = Data()
            while Int64(data.count) < all {
                let line = try client.ask(
                    #"{"op":"backup","id":1,"backup":"\#(id)","offset":\#(data.count),"#
                        + #""bytes":\#(chunk)}"#)
                let text = try #require(try line.json("data")?.string)
                let bytes = try #require(Data(base64Encoded: text))
                try #require(!bytes.isEmpty && bytes.count <= chunk)
                data += bytes
            }
            return data
        }

        private func files(_ folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        }

        /// Creates enough instances to make a backup take a while.
        private func fill(_ client: RawClient, count: Int = 3_000) throws {
            let lines = (0..<count).map {
                #"{"op":"send","id":\#($0),"to":"counter/c-\#($0)","event":"increment"}"#
            }
            try client.send(lines.joined(separator: "\n") + "\n")
            for _ in lines { _ = try client.line() }
        }

        private let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#

        @Test func `the copy has all acknowledged data, and serves as another log`()
            async throws
        {
            try await withFolder { folder in
                let copy = folder + "/copy.db"
                var cursor = ""
                try await RunningServer.with({ $0.store = .file(folder + "/a.db") }) { running in
                    let client = try running.connect()
                    try fill(client, count: 500)
                    cursor = try client.ask(send).json("cur")?.string ?? ""
                    let begun = try client.ask(#"{"op":"backup","id":1}"#)
                    #expect(try begun.json("backup") == "b-1")
                    _ = try client.ask(send)
                    try fetch("b-1", client, chunk: 50_001).write(to: URL(filePath: copy))
                    let end = try client.ask(#"{"op":"backup","id":1,"backup":"b-1","end":true}"#)
                    #expect(try end.json("ok") == true)
                    #expect(try files(folder) == ["a.db", "a.db-crash", "a.db-wal", "copy.db"])
                }
                let store = try SQLiteStore.inspect(path: copy)
                #expect(store.isCopy)
                #expect(try store.checkAll() == [])
                try store.close()
                try await RunningServer.with({ $0.store = .file(copy) }) { running in
                    let client = try running.connect()
                    let got = try client.ask(#"{"op":"get","id":1,"to":"counter/c"}"#)
                    #expect(try got.json("v") == 1 || got.json("v") == 2)
                    #expect(
                        try client.ask(#"{"op":"get","id":1,"to":"counter/c-499"}"#).json("v") == 1)
                    let from = #"{"after":"\#(cursor)"}"#
                    let refused = try client.ask(
                        #"{"op":"subscribe","id":1,"sub":"s","from":\#(from)}"#)
                    #expect(try refused.json("error")?["code"] == "CURSOR_FOREIGN")
                }
            }
        }

        @Test func `a client that closes midway leaves nothing, and the next may begin`()
            async throws
        {
            try await withFolder { folder in
                try await RunningServer.with({ $0.store = .file(folder + "/a.db") }) { running in
                    let client = try running.connect()
                    try fill(client)
                    let leaving = try running.connect()
                    #expect(try leaving.ask(#"{"op":"backup","id":1}"#).json("ok") == true)
                    let busy = try client.ask(#"{"op":"backup","id":1}"#)
                    #expect(try busy.json("error")?["code"] == "OVERLOADED")
                    #expect(try busy.json("error")?["retry"] == true)
                    leaving.reset()
                    var begun = busy
                    while try begun.json("ok") != true {
                        begun = try client.ask(#"{"op":"backup","id":1}"#)
                    }
                    #expect(try begun.json("backup") == "b-2")
                    _ = try client.ask(#"{"op":"backup","id":1,"backup":"b-2","end":true}"#)
                    #expect(try files(folder) == ["a.db", "a.db-crash", "a.db-wal"])
                }
                #expect(try files(folder) == ["a.db"])
            }
        }

        @Test func `a request for a copy from a closed connection starts none`() async throws {
            try await withFolder { folder in
                try await RunningServer.with({ $0.store = .file(folder + "/a.db") }) { running in
                    for _ in 0..<5 {
                        let leaving = try running.connect()
                        try leaving.send(#"{"op":"backup","id":1}"# + "\n")
                        leaving.reset()
                    }
                    let client = try running.connect()
                    var begun = try client.ask(#"{"op":"backup","id":1}"#)
                    while try begun.json("ok") != true {
                        begun = try client.ask(#"{"op":"backup","id":1}"#)
                    }
                }
            }
        }

        @Test func `a stop in the middle of a copy is a clean one`() async throws {
            try await withFolder { folder in
                let running = try await RunningServer.start { $0.store = .file(folder + "/a.db") }
                let client = try running.connect()
                try fill(client)
                #expect(try client.ask(#"{"op":"backup","id":1}"#).json("ok") == true)
                try await running.stop()
                #expect(try files(folder) == ["a.db"])
            }
        }

        @Test func `a server in memory has no file to copy, and says so`() async throws {
            try await RunningServer.with { running in
                let client = try running.connect()
                let refused = try client.ask(#"{"op":"backup","id":1}"#)
                #expect(try refused.json("error")?["code"] == "BAD_REQUEST")
                #expect(try refused.json("error")?["message"]?.string?.contains("memory") == true)
                #expect(try client.ask(send).json("ok") == true)
            }
        }
    }
}
