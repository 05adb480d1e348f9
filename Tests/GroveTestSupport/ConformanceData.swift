public import Foundation

/// Public conformance data that is kept beside the repository, in `../shared/conformance` or the
/// folder that `GROVE_CONFORMANCE` names. A clone alone has none.
///
/// Tests that read it are enabled by ``isExpected(_:)``. If the data is missing, they are skipped
/// with ``hint``; where `CI` is set they run and fail.
public enum ConformanceData {
    /// The message of a skipped test.
    public static let hint: String =
        "its data lies beside the repository and isn't there; GROVE_CONFORMANCE may name its folder"

    /// Whether tests of this part run: the data exists, or it is required.
    ///
    /// - Parameter part: The part's folder, such as `json`.
    public static func isExpected(_ part: String) -> Bool {
        ProcessInfo.processInfo.environment["CI"] != nil || find(part) != nil
    }

    /// Returns the folder of a part, such as `json`.
    ///
    /// - Throws: ``TestProblem`` if it doesn't exist.
    public static func folder(_ part: String) throws -> URL {
        if let folder = find(part) { return folder }
        throw TestProblem(
            "the conformance data \"\(part)\" wasn't found in "
                + candidates.map(\.path).joined(separator: ", ")
                + "; GROVE_CONFORMANCE can name the folder that has it")
    }

    private static func find(_ part: String) -> URL? {
        candidates.map { $0.appendingPathComponent(part) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// The folder from the environment, or those beside and above this checkout.
    private static var candidates: [URL] {
        if let path = ProcessInfo.processInfo.environment["GROVE_CONFORMANCE"] {
            return [URL(fileURLWithPath: path)]
        }
        var folders: [URL] = []
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            folders.append(folder.appendingPathComponent("shared/conformance"))
            folder = folder.deletingLastPathComponent()
        }
        return folders
    }
}
