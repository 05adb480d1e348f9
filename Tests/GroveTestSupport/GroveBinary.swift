public import Foundation

/// The built `grove` executable: `GROVE_BINARY`, or beside the test bundle.
public enum GroveBinary {
    /// Its path.
    ///
    /// - Throws: ``TestProblem`` that says how to build it, when it isn't there.
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

/// A missing precondition of a test.
public struct TestProblem: Error, CustomStringConvertible {
    /// The missing or wrong part, and the remedy.
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// A temporary folder for a test, removed with the value.
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
        // A failed removal is left to the system's cleaning of temporary files.
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the folder.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
