import Foundation
import GroveEngine
import GroveStorage
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("Server on a data file", .timeLimit(.minutes(1)))
    struct DataFileTests {
        /// Runs `body` with a new folder and removes the folder afterwards.
        private func withFolder(_ body: (String) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "grove-server-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            // If removal fails, the system cleans up its temporary files later.
            defer { try? FileManager.default.removeItem(at: folder) }
            try await body(folder.path(percentEncoded: false) + "/grove.db")
        }

        @Test func `acknowledged data is there after a restart, under the same log`()
            async throws
        {
            try await withFolder { path in
                var node: JSONValue?
                for round in 1...3 {
                    try await RunningServer.with({ $0.store = .file(path) }) { running in
                        let client = try RawClient(running.address, readsGreeting: false)
                        let greeted = try client.line().json("node")
                        #expect(node == nil || greeted == node)
                        node = greeted
                        let ack = try client.ask(
                            #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#)
                        #expect(try ack.json("v") == .integer(Int64(round)))
                    }
                }
            }
        }

        @Test func `a copy gets another log id at its first opening, and the log says so`()
            async throws
        {
            try await withFolder { path in
                let original = try SQLiteStore.open(path: path)
                let backup = try original.beginBackup()
                while backup.progress.bytes == nil { try backup.step() }
                let bytes = try backup.read(at: 0, count: Int(backup.progress.bytes ?? 0))
                let copy = path + ".copy"
                try Data(bytes).write(to: URL(filePath: copy))
                let log = KeptLog()
                for _ in 0..<2 {
                    try await RunningServer.with({ $0.store = .file(copy) }, log: log.logger()) {
                        _ in
                    }
                }
                let lines = log.lines(with: "the data file is a copy")
                #expect(lines.count == 1)
                #expect(lines.first?.contains("copied=\(original.logID.digits)") == true)
                try original.close()
                try await RunningServer.with({ $0.store = .file(path) }, log: log.logger()) { _ in }
                #expect(log.lines(with: "the data file is a copy").count == 1)
            }
        }

        @Test func `a second server on the same file is refused with 73`() async throws {
            try await withFolder { path in
                try await RunningServer.with({ $0.store = .file(path) }) { running in
                    var failure: Server.Failure?
                    do {
                        _ = try await RunningServer.start { $0.store = .file(path) }
                    } catch let error as Server.Failure {
                        failure = error
                    }
                    #expect(failure?.exitCode == 73)
                    let client = try running.connect()
                    #expect(
                        try client.ask(
                            #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#
                        )
                        .json("ok") == true)
                }
            }
        }

        @Test func `a cursor from before the restart continues at its place`() async throws {
            try await withFolder { path in
                var cursor = ""
                try await RunningServer.with({ $0.store = .file(path) }) { running in
                    let client = try running.connect()
                    let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#
                    cursor = try client.ask(send).json("cur")?.string ?? ""
                    _ = try client.ask(send)
                }
                try await RunningServer.with({ $0.store = .file(path) }) { running in
                    let client = try running.connect()
                    let from = #"{"after":"\#(cursor)"}"#
                    _ = try client.ask(
                        #"{"op":"subscribe","id":1,"sub":"s","from":\#(from),"#
                            + #""select":{"kind":["output"]}}"#
                    )
                    #expect(try client.line().json("v") == 2)
                    #expect(try client.line().json("mark") == "live")
                }
            }
        }
    }
}
