import Testing

@testable import GroveCommands

@Suite("EditLibrary")
struct EditLibraryTests {
    @Test func `without the library a sentence names its package`() throws {
        let missing = try #require(throws: EditLibrary.Missing.self) {
            try EditLibrary.load(["libnonexistent.so.1"])
        }
        #expect(missing.description.contains("apt-get install libedit2"))
        #expect(missing.reason.contains("libnonexistent"))
    }

    @Test func `a library without its functions isn't used`() throws {
        let missing = try #require(throws: EditLibrary.Missing.self) {
            try EditLibrary.load(["libc.so.6"])
        }
        #expect(missing.reason == "libc.so.6 has no readline")
    }

    @Test func `no name is that of GNU readline`() {
        #expect(EditLibrary.names.allSatisfy { $0.hasPrefix("libedit.") })
    }
}
