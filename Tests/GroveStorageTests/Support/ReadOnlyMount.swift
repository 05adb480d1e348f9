import Foundation

/// Makes a directory read only for everybody, the superuser too, until it is ended.
struct ReadOnlyMount {
    private let directory: String

    /// Whether permissions alone don't take the right to write away from a test.
    static let isNeeded = geteuid() == 0

    /// Whether a test can take the right to write away from itself.
    static let isPossible = !isNeeded || wasPossible()

    private static func wasPossible() -> Bool {
        // Why it can't be done is of no use: the tests that want it are passed over.
        guard let mount = try? ReadOnlyMount(TestDirectory.make()) else { return false }
        return (try? mount.end()) != nil
    }

    init(_ directory: String) throws {
        self.directory = directory
        try Self.perform("mount", "--bind", directory, directory)
        do {
            try Self.perform("mount", "-o", "remount,bind,ro", directory)
        } catch {
            try end()
            throw error
        }
    }

    func end() throws { try Self.perform("umount", directory) }

    private static func perform(_ arguments: String...) throws {
        let (code, output) = try run(arguments)
        guard code == 0 else { throw Failure(description: "\(arguments): \(output)") }
    }

    private struct Failure: Error, CustomStringConvertible { var description: String }
}
