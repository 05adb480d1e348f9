import Foundation
import GroveClient
import OrderedJSON

/// A separate data file, and the real server for it, which the test can restart.
final class ServedFile {
    private let folder: String
    /// The data file.
    let data: String
    private var process: ToolProcess?
    /// The server's address; the same after a restart.
    private(set) var address: ServerAddress
    private let flags: [String]

    /// Makes the folder and starts the server on a free port.
    ///
    /// - Parameters:
    ///   - address: The address to listen on.
    ///   - path: A data file that is there; `nil` for a new one.
    ///   - flags: Further flags of the server.
    init(
        _ address: ServerAddress = .tcp(host: "127.0.0.1", port: 0), data path: String? = nil,
        flags: [String] = []
    ) throws {
        self.address = address
        self.flags = flags
        folder = NSTemporaryDirectory() + "grove-client-\(UUID().uuidString)"
        data = path ?? folder + "/data.grove"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        kill()
        // A failed removal is left to the system's cleaning.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts the server and waits until it listens.
    func start() throws {
        let process = try ToolProcess(
            [
                "serve", "--listen", address.description, "--data", data,
                "--log-format", "json",
            ] + flags)
        self.process = process
        while let note = process.note() {
            let event = try JSONValue(parsing: Array(note.utf8))
            guard event["message"] == "listening" else { continue }
            guard let text = event["addresses"]?.string, let address = ServerAddress(text) else {
                throw FakeServerError(text: "no address in \(note)")
            }
            self.address = address
            return
        }
        throw FakeServerError(text: "the server ended before it listened")
    }

    /// Ends the server as a crash does, and waits for its end.
    func kill() {
        process?.signal(SIGKILL)
        _ = process?.outcome()
        process = nil
    }

    /// Stops the server gracefully; its exit code.
    func stop() -> Int32 {
        process?.signal(SIGTERM)
        defer { process = nil }
        return process?.outcome().code ?? -1
    }
}
