import Testing

@testable import GroveStorage

@Suite("StorageLibraries")
struct StorageLibrariesTests {
    @Test func `versions have numbers and points`() {
        for version in [StorageLibraries.sqlite, StorageLibraries.zlib] {
            let parts = version.split(separator: ".")
            #expect(parts.count >= 3 && parts.prefix(2).allSatisfy { Int($0) != nil }, "\(version)")
        }
    }
}
