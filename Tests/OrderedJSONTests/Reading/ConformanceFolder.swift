import Foundation

/// The folder of the JSON conformance files: 318 texts of nst/JSONTestSuite and `verdicts.json`.
enum ConformanceFolder {
    struct Missing: Error, CustomStringConvertible {
        let looked: [String]

        var description: String {
            """
            The conformance files were not found, so this test can't say anything. Set \
            GROVE_CONFORMANCE to the folder `conformance` (the one that holds `json`), or put it \
            beside the checkout as `shared/conformance`. Looked in: \
            \(looked.joined(separator: ", "))
            """
        }
    }

    /// The folder `json`, from GROVE_CONFORMANCE or from a `shared/conformance` beside or above
    /// this checkout. It is never skipped silently: without it the tests fail.
    static func json() throws -> URL {
        var candidates: [URL] = []
        if let path = ProcessInfo.processInfo.environment["GROVE_CONFORMANCE"] {
            candidates.append(URL(fileURLWithPath: path))
        } else {
            var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            while folder.path != "/" {
                candidates.append(folder.appendingPathComponent("shared/conformance"))
                folder = folder.deletingLastPathComponent()
            }
        }
        for candidate in candidates {
            let json = candidate.appendingPathComponent("json")
            let verdicts = json.appendingPathComponent("verdicts.json").path
            if FileManager.default.fileExists(atPath: verdicts) { return json }
        }
        throw Missing(looked: candidates.map(\.path))
    }
}
