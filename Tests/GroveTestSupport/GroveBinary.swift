public import Foundation

/// The built `grove` executable: `GROVE_BINARY`, or beside the test bundle.
public enum GroveBinary {
    /// Returns its path.
    ///
    /// - Throws: ``TestProblem`` with the build command if it doesn't exist.
    public static func find() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["GROVE_BINARY"] {
            return URL(fileURLWithPath: path)
        }
        // The tests run from the products directory: `<scratch>/<triple>/debug/`.
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = folder.appendingPathComponent("grove")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        throw TestProblem("grove isn't built: run `swift build`, or set GROVE_BINARY to it")
    }
}

/// A test's precondition that doesn't hold.
public struct TestProblem: Error, CustomStringConvertible {
    /// The missing or wrong part, and how to fix it.
    public let description: String

    /// Creates a problem with a description.
    public init(_ description: String) { self.description = description }
}

/// A temporary folder for a test, removed together with this value.
public final class TemporaryFolder {
    /// The folder.
    public let url: URL

    /// Makes a new empty folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("grove-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // If removal fails, the system cleans up its temporary files later.
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the path of a file in the folder.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
