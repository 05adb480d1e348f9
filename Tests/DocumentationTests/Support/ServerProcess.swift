import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The built server with a data file of its own, on a port that was free. Killed when it is let
/// go of; the data file stays as long as its folder.
final class ServerProcess {
    /// Where it listens.
    let port: UInt16
    private let process = Process()

    /// Starts it and waits until it takes connections.
    init(dataFile: URL) throws {
        port = try ServerProcess.freePort()
        process.executableURL = try ServerProcess.binary()
        process.arguments = [
            "serve", "--listen", "127.0.0.1:\(port)", "--data", dataFile.path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            guard process.isRunning else {
                throw Problem("the server ended with code \(process.terminationStatus)")
            }
            do {
                _ = try LineClient(port: port)
                return
            } catch {
                // Not listening yet; there is nothing to wait on but the port itself.
                usleep(5_000)
            }
        }
        process.terminate()
        throw Problem("the server does not listen on port \(port)")
    }

    deinit { kill() }

    /// Ends it as a crash would, and waits until it is gone.
    func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The executable: from `GROVE_BINARY`, or from the folder of the test bundle.
    static func binary() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["GROVE_BINARY"] {
            return URL(filePath: path)
        }
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = folder.appending(path: "grove")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        let built = Documentation.root.appending(path: ".build/debug/grove")
        guard FileManager.default.isExecutableFile(atPath: built.path) else {
            throw Problem("no grove beside the tests: build it, or set GROVE_BINARY")
        }
        return built
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = try Socket.make()
        defer { close(descriptor) }
        var address = Socket.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard code == 0 else { throw Problem("no free port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// A folder for one test, removed when it is let go of.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "grove-docs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            // What can't be removed is left to whoever cleans the temporary folder.
        }
    }
}

/// What went wrong around a session, for the failing test's text.
struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
