import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Client: backup and import", .ownThreads, .timeLimit(.minutes(1)))
struct BackupRepliesTests {
    @Test func `a backup is started, polled, read and ended`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let begin = try connection.request("backup")
            try connection.require(begin["backup"] == nil, "\(begin)")
            try connection.reply(begin, #""backup":"b-7","copied":0,"pages":4"#)
            let look = try connection.request("backup")
            try connection.require(look["backup"] == "b-7" && look["offset"] == nil, "\(look)")
            try connection.reply(look, #""backup":"b-7","copied":4,"pages":4,"bytes":9"#)
            let read = try connection.request("backup")
            try connection.require(read["offset"] == 3 && read["bytes"] == 100, "\(read)")
            try connection.reply(
                read, #""backup":"b-7","offset":3,"data":"MTIzNDU2Nzg5","crc32":3421780262"#)
            let end = try connection.request("backup")
            try connection.require(end["end"] == true, "\(end)")
            try connection.reply(end, "")
        }
        let client = Client(options: options(server))
        let begun = try await client.beginBackup()
        #expect(begun.id == "b-7" && begun.copied == 0 && begun.pages == 4 && begun.bytes == nil)
        let status: BackupStatus = try await client.backupStatus(begun.id)
        #expect(status.copied == 4 && status.bytes == 9)
        let bytes = try await client.readBackup(begun.id, at: 3, count: 100)
        #expect(bytes == Array("123456789".utf8))
        try await client.endBackup(begun.id)
        try await server.finish()
    }

    @Test(arguments: [
        #""offset":0,"data":"MTIzNDU2Nzg5","crc32":3421780263"#,
        #""offset":1,"data":"MTIzNDU2Nzg5","crc32":3421780262"#,
        #""offset":0,"data":"MTIzNDU2Nzg","crc32":3421780262"#,
        #""offset":0,"data":"MTIzNDU2Nzg5""#, #""offset":0,"crc32":0"#,
    ])
    func `a piece that doesn't match its request is refused`(fields: String) async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("backup"), fields)
            try connection.awaitClose()
        }
        let client = Client(options: options(server))
        let error = await failure { try await client.readBackup("b-1", at: 0) }
        guard case .protocolViolation = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `an import says whether the instance was created`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let first = try connection.request("import")
            let expected: JSONValue = [
                "op": "import", "id": first["id"] ?? .null, "to": "c/a", "v": 3,
                "state": ["n": 1.5], "done": true, "result": "r", "dedup": "k", "trial": true,
            ]
            try connection.require(first == expected, "\(first)")
            try connection.reply(first, #""v":3,"changed":true"#)
            try connection.reply(
                try connection.request("import"), #""v":3,"changed":true,"dup":true"#)
            try connection.reply(try connection.request("import"), #""v":3,"changed":false"#)
        }
        let client = Client(options: options(server))
        let full = Request.importing(
            "c/a", version: 3, state: Array(#"{"n":1.5}"#.utf8), isDone: true,
            result: Array(#""r""#.utf8), dedup: "k", isTrial: true)
        let made = try ImportReply(try await client.request(full))
        #expect(made.isNew && !made.isDuplicate && made.version == 3)
        let plain = Request.importing("c/a", version: 3, state: Array("1".utf8))
        let repeated = try ImportReply(try await client.request(plain))
        #expect(!repeated.isNew && repeated.isDuplicate)
        let same = try ImportReply(try await client.request(plain))
        #expect(!same.isNew && !same.isDuplicate)
        try await server.finish()
    }
}
