import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Testing

/// Backups of the built server: under load, on a full disk, and when it is killed during a backup.
@Suite("Backup of a running server")
struct BackupTests {
    /// Starts the command `grove` and doesn't wait for its end.
    private func begin(_ arguments: [String], port: UInt16) throws -> Process {
        let process = Process()
        process.executableURL = try GroveBinary.find()
        process.arguments = arguments
        process.environment = ["GROVE_SERVER": "127.0.0.1:\(port)"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func grove(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(try GroveBinary.find().path, arguments)
    }

    /// Creates instances with one event each.
    private func fill(port: UInt16, count: Int) throws {
        let client = try LineClient(port: port)
        for begin in stride(from: 0, to: count, by: 1_000) {
            let lines = (begin..<min(count, begin + 1_000)).map {
                #"{"op":"send","id":1,"to":"counter/fill-\#($0)","event":"increment"}"#
            }
            try client.send(lines.joined(separator: "\n"))
            for _ in lines { _ = try client.readLine() }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [5, 6] as [UInt64])
    func
        `a backup under load holds what was acknowledged before, passes check-data, and serves`(
            seed: UInt64
        ) throws
    {
        let folder = try TemporaryFolder()
        let data = folder.path("live.db")
        let copy = folder.path("copy.db")
        let server = try ServerProcess(data: data)
        try fill(port: server.port, count: 4_000)
        var workload = Workload(seed: seed)
        try workload.run(port: server.port) { $0 >= 1_000 }
        let before = workload.acknowledged
        let backup = try begin(["backup", copy], port: server.port)
        // Continues sending until the backup is complete, and a little longer.
        var last = 0
        try workload.run(port: server.port) { acks in
            if backup.isRunning { last = acks }
            return acks > last + 200
        }
        backup.waitUntilExit()
        #expect(backup.terminationStatus == 0)
        let check = try grove("check-data", copy, "--replay")
        #expect(check.status == 0, "\(check.output)")
        #expect(server.stop() == 0)
        #expect(try grove("check-data", data).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)

        let restored = try ServerProcess(data: copy)
        let client = try LineClient(port: restored.port)
        var held = 0
        var keys: [String: [String]] = [:]
        for instance in Workload.instances {
            // Throws if the versions have a hole.
            keys[instance] = try Checker.history(of: instance, client)
            held += keys[instance]?.count ?? 0
        }
        for (sent, version) in before {
            let key = keys[sent.instance].flatMap { $0.dropFirst(Int(version) - 1).first }
            #expect(key == sent.key, "\(sent.key) was acknowledged before the backup began")
        }
        for (instance, keys) in keys {
            for (index, key) in keys.enumerated() {
                let sent = Workload.Sent(instance: instance, key: key)
                #expect(workload.acknowledged[sent] == Int64(index + 1), "\(key) is nobody's")
            }
        }
        try client.send(
            #"{"op":"send","id":1,"to":"\#(Workload.instances[0])","event":"increment"}"#)
        let next = (keys[Workload.instances[0]]?.count ?? 0) + 1
        #expect(try client.readLine().contains(#""v":\#(next),"#))
        #expect(restored.stop() == 0)
        #expect(try grove("check-data", copy).status == 0)
        print(
            "seed \(seed): \(before.count) acks before, \(held) events in the copy, "
                + "\(workload.acknowledged.count) acks in all")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a server that is killed in the middle leaves a file that the next start removes`() throws
    {
        let folder = try TemporaryFolder()
        let data = folder.path("live.db")
        let server = try ServerProcess(data: data)
        try fill(port: server.port, count: 12_000)
        let client = try LineClient(port: server.port)
        try client.send(#"{"op":"backup","id":1}"#)
        #expect(try client.readLine().contains(#""ok":true"#))
        server.kill()
        #expect(FileManager.default.fileExists(atPath: data + ".copying"))
        let check = try grove("check-data", data)
        #expect(check.status == 0, "\(check.output)")
        let again = try ServerProcess(data: data)
        #expect(!FileManager.default.fileExists(atPath: data + ".copying"))
        #expect(
            try grove("backup", folder.path("b.db"), "--server", "127.0.0.1:\(again.port)")
                .status == 0)
        #expect(again.stop() == 0)
        #expect(try grove("check-data", folder.path("b.db")).status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == ["b.db", "live.db"])
    }

    @Test(.timeLimit(.minutes(2)))
    func `a disk that is too small for the copy ends the backup only`() throws {
        let folder = try TemporaryFolder()
        let mount = try Command.run(
            "mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", folder.url.path])
        guard mount.status == 0 else {
            print("skipped: a tmpfs cannot be mounted here: \(mount.output)")
            #expect(ProcessInfo.processInfo.environment["CI"] == nil, "CI must be able to mount")
            return
        }
        // A failure here can't be handled.
        defer { _ = try? Command.run("umount", [folder.url.path]) }
        let server = try ServerProcess(data: folder.path("live.db"))
        try fill(port: server.port, count: 20_000)
        let elsewhere = try TemporaryFolder()
        let target = elsewhere.path("b.db")
        // The log uses room too. Leave enough for events, and too little for a copy.
        let free =
            try FileManager.default.attributesOfFileSystem(forPath: folder.url.path)[
                .systemFreeSize] as? Int
        let filler = Data(repeating: 1, count: max(0, (free ?? 0) - (2 << 20)))
        try filler.write(to: folder.url.appending(path: "filler"))
        let refused = try grove("backup", target, "--server", "127.0.0.1:\(server.port)")
        #expect(
            refused.status == 75 && refused.output.contains("STORAGE_FULL"), "\(refused.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.url.path) == [])
        #expect(!FileManager.default.fileExists(atPath: folder.path("live.db.copying")))
        try fill(port: server.port, count: 10)
        // Closing moves the log into the file, which needs free space.
        try FileManager.default.removeItem(at: folder.url.appending(path: "filler"))
        #expect(server.stop() == 0)
        #expect(try grove("check-data", folder.path("live.db")).status == 0)
    }
}
