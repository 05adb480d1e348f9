import GroveEffects
import GroveStorage
import GroveTLS

/// A library of the system that a server uses. The system updates it, without a build of Grove.
public struct SystemLibrary: Sendable, Equatable {
    /// Its usual name: `libssl`.
    public let name: String
    /// The version that this process uses; `nil` if the system has none, or one that is too old.
    public let version: String?
    /// What it is for, in a few words.
    public let purpose: String

    /// All of them. Loads libcurl, which takes about 20 ms.
    public static var all: [SystemLibrary] {
        [
            SystemLibrary(
                name: "libsqlite3", version: StorageLibraries.sqlite, purpose: "data files"),
            SystemLibrary(
                name: "libz", version: StorageLibraries.zlib, purpose: "compression of data files"),
            SystemLibrary(name: "libssl", version: TLSLibrary.version, purpose: "TLS"),
            SystemLibrary(
                name: "libcurl", version: HTTPHandler.libraryVersion,
                purpose: "requests of the handler http"),
        ]
    }
}
