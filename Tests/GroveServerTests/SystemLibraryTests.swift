import GroveEffects
import GroveStorage
import GroveTLS
import Testing

@testable import GroveServer

@Suite("SystemLibrary")
struct SystemLibraryTests {
    @Test func `each library has the version that the process uses`() {
        let versions = SystemLibrary.all.map(\.version)
        #expect(
            versions == [
                StorageLibraries.sqlite, StorageLibraries.zlib, TLSLibrary.version,
                HTTPHandler.libraryVersion,
            ])
        #expect(TLSLibrary.version.hasPrefix("3."))
        #expect(StorageLibraries.sqlite.hasPrefix("3.") && StorageLibraries.zlib.hasPrefix("1."))
    }
}
