import Foundation
import Glibc
import GroveTestSupport
import Testing

/// Power cuts: data that wasn't synced is lost (reliability.md, "Faults and tests"). The file
/// system is a separate image on a loop device. A cut shuts it down without a flush of its journal,
/// so dirty pages never reach the image.
@Suite("PowerCut", .serialized)
struct PowerCutTests {
    @Test(.timeLimit(.minutes(5)), arguments: ["ext4", "xfs"])
    func `every acknowledged event is there after each of eight power cuts`(
        fileSystem: String
    ) throws {
        guard try PowerCutDisk.isPossible() else { return }
        let outcome = try run(fileSystem: fileSystem, cuts: 8)
        print("\(fileSystem): \(outcome)")
        #expect(outcome.failure == nil)
        #expect(outcome.acks > 100)
    }

    /// Tests the test: if syncs do nothing, some cut must lose acknowledged events. Otherwise the
    /// cuts above have no effect.
    @Test(.timeLimit(.minutes(5)))
    func `a server whose syncs do nothing loses acknowledged events`() throws {
        guard try PowerCutDisk.isPossible() else { return }
        let library = try NoSyncLibrary()
        let outcome = try run(
            fileSystem: "ext4", cuts: 8, environment: ["LD_PRELOAD": library.path])
        print("without sync: \(outcome)")
        #expect(outcome.failure != nil, "nothing was lost without syncs: the cuts cut nothing")
    }

    struct Outcome: CustomStringConvertible {
        var acks: Int
        var cuts: Int
        var failure: String?
        var description: String {
            "\(acks) acks over \(cuts) cuts, \(failure.map { "then: \($0)" } ?? "0 lost")"
        }
    }

    /// Cuts the power until a check fails or all cuts are made.
    private func run(
        fileSystem: String, cuts: Int, environment: [String: String] = [:]
    ) throws -> Outcome {
        let disk = try PowerCutDisk(fileSystem: fileSystem)
        var workload = Workload(seed: 5)
        for cut in 1...cuts {
            do {
                let server = try ServerProcess(
                    data: disk.path("cut.db"), environment: environment)
                try workload.run(port: server.port) { $0 > 200 * cut % 700 + 50 }
                try disk.cutPower(of: server)
                try disk.powerOn()
                let again = try ServerProcess(
                    data: disk.path("cut.db"), environment: environment)
                // The records are checked at the end; here only the acks.
                var copy = workload
                _ = try Checker.check(&copy, port: again.port)
                again.kill()
            } catch let problem as CheckFailure {
                return Outcome(
                    acks: workload.acknowledged.count, cuts: cut, failure: problem.description)
            } catch let problem as TestProblem {
                // A server that can't start on its own data has lost something too.
                return Outcome(
                    acks: workload.acknowledged.count, cuts: cut, failure: problem.description)
            }
        }
        return Outcome(acks: workload.acknowledged.count, cuts: cuts, failure: nil)
    }
}

/// A library that a process loads before all others, and in which syncing a file does nothing. The
/// shipped program runs with it; there is no second build.
private final class NoSyncLibrary {
    private let folder: TemporaryFolder
    var path: String { folder.path("nosync.so") }

    /// Compiles it with the C compiler of the Swift toolchain, or the system's.
    init() throws {
        folder = try TemporaryFolder()
        let source = """
            int fsync(int fd) { return 0; }
            int fdatasync(int fd) { return 0; }
            int sync_file_range(int fd, long from, long count, unsigned flags) { return 0; }

            """
        let sourcePath = folder.path("nosync.c")
        try source.write(toFile: sourcePath, atomically: true, encoding: .utf8)
        let compile = "$(command -v clang || command -v cc) -shared -fPIC -w -o '\(path)'"
        let outcome = try Command.run("sh", ["-c", "\(compile) '\(sourcePath)'"])
        guard outcome.status == 0 else {
            throw TestProblem("the library without syncs can't be compiled: \(outcome.output)")
        }
    }
}

/// A file system in an image file, whose power can be cut.
final class PowerCutDisk {
    private let folder: TemporaryFolder
    private var isMounted = false
    private var image: String { folder.path("disk.img") }
    private var mountPoint: String { folder.path("mnt") }

    /// Whether this computer has the rights and tools for the test. In CI they are required.
    static func isPossible() throws -> Bool {
        let missing = try ["mkfs.ext4", "mkfs.xfs", "xfs_io", "losetup"].filter {
            try Command.run("sh", ["-c", "command -v \($0)"]).status != 0
        }
        if geteuid() == 0, missing.isEmpty { return true }
        let isRequired = ProcessInfo.processInfo.environment["CI"] != nil
        #expect(!isRequired, "power cuts need root, e2fsprogs and xfsprogs: missing \(missing)")
        print("skipped: power cuts need root, e2fsprogs and xfsprogs")
        return false
    }

    init(fileSystem: String) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: mountPoint, withIntermediateDirectories: true)
        try run("truncate", "-s", "400m", image)
        let force = fileSystem == "xfs" ? "-f" : "-F"
        try run("mkfs.\(fileSystem)", "-q", force, image)
        try powerOn()
    }

    deinit {
        // The test is over. If unmounting fails, the mount stays.
        if isMounted { _ = try? Command.run("umount", [mountPoint]) }
    }

    func path(_ name: String) -> String { "\(mountPoint)/\(name)" }

    /// Mounts the image in its current state.
    func powerOn() throws {
        try run("mount", "-o", "loop", image, mountPoint)
        isMounted = true
    }

    /// Stops all writes to the image at once, without a flush, then ends the server.
    func cutPower(of server: ServerProcess) throws {
        try run("xfs_io", "-x", "-c", "shutdown", mountPoint)
        server.kill()
        try run("umount", mountPoint)
        isMounted = false
        // A process that has created its own mount namespace meanwhile keeps the file system in use
        // until it ends. A new mount would then find the one that was shut down.
        for _ in 0..<1_000 where try !Command.run("losetup", ["-j", image]).output.isEmpty {
            usleep(10_000)
        }
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let outcome = try Command.run(program, arguments)
        guard outcome.status == 0 else {
            throw TestProblem("\(program) \(arguments.joined(separator: " ")): \(outcome.output)")
        }
    }
}
