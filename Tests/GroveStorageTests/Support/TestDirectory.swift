import Foundation
import Synchronization

/// Fresh directories for tests, removed when the process ends.
///
/// They are in memory where the system has such a folder: thousands of commits of a test needn't
/// wait for a disk. What a disk does is put on by the tests themselves.
enum TestDirectory {
    private static let next = Atomic<Int>(0)

    private static let root: String = {
        mkdir(rootPath, 0o700)
        atexit {
            // Best effort: what is left over is in the temporary directory.
            try? FileManager.default.removeItem(atPath: rootPath)
        }
        return rootPath
    }()

    private static let rootPath =
        (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/grove-storage-tests-\(getpid())"

    /// The path of a new, empty directory.
    static func make() -> String {
        let number = next.wrappingAdd(1, ordering: .relaxed).newValue
        let path = "\(root)/\(number)"
        mkdir(path, 0o700)
        return path
    }

    /// A digest of each file in a directory: equal when nothing was changed. Made by another
    /// process, because closing a descriptor of the data file in this one would drop the locks
    /// that SQLite holds on it.
    static func contents(_ path: String) throws -> String {
        try run("sh", "-c", "cd \(path) && find . -type f | sort | xargs -r sha256sum").output
    }

    /// The names in a directory.
    static func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// The names and bytes of all files in a directory, for when no store has one of them open.
    static func bytes(_ path: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try names(path) {
            found[name] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        return found
    }

    /// Copies the files of one directory into a new one, and answers its path; no store may have
    /// one of them open.
    static func copy(_ path: String) throws -> String {
        let copy = make()
        for (name, bytes) in try bytes(path) {
            try bytes.write(to: URL(fileURLWithPath: "\(copy)/\(name)"))
        }
        return copy
    }
}

/// Runs a program and answers its exit code and what it wrote.
@discardableResult
func run(_ arguments: String...) throws -> (code: Int32, output: String) {
    try run(arguments)
}

/// The same, with the arguments as a list.
@discardableResult
func run(_ arguments: [String]) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
