import CCurl
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system's libcurl, loaded by the first request. Linked, it would add about thirty libraries
/// and 20 ms to each start of the tool, which seldom makes a request.
struct CurlLibrary: Sendable {
    /// The names of the library's file.
    static let names = ["libcurl.so.4", "libcurl.4.dylib"]

    /// The system has no usable library. It may be installed later, so a request may be repeated.
    struct Missing: Error, CustomStringConvertible {
        let reason: String

        var description: String {
            "requests over HTTP need libcurl 7.80 or newer: install it "
                + "(on Debian and Ubuntu: apt-get install libcurl4); \(reason)"
        }
    }

    /// The address of the functions. Their memory is never freed, and the library never unloaded.
    private let address: UInt

    /// The library's functions, for the calls of `CCurl`.
    var functions: UnsafePointer<grove_curl> {
        guard let functions = UnsafePointer<grove_curl>(bitPattern: address) else {
            preconditionFailure("a library is only made of functions that were found")
        }
        return functions
    }

    /// Its version: `7.88.1`.
    var version: String {
        let number = grove_curl_version(functions)
        return "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
    }

    /// The loaded libraries by name.
    private static let loaded = Mutex<[String: CurlLibrary]>([:])

    /// Loads the first library that the system has. The next call looks again for missing ones.
    static func load(_ names: [String] = names) throws(Missing) -> CurlLibrary {
        let result: Result<CurlLibrary, Missing> = loaded.withLock { loaded in
            var reasons: [String] = []
            for name in names {
                if let known = loaded[name] { return .success(known) }
                do throws(Missing) {
                    let library = try CurlLibrary(name)
                    loaded[name] = library
                    return .success(library)
                } catch {
                    reasons.append(error.reason)
                }
            }
            return .failure(Missing(reason: reasons.joined(separator: "; ")))
        }
        return try result.get()
    }

    private init(_ name: String) throws(Missing) {
        guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else {
            throw Missing(reason: dlerror().map { String(cString: $0) } ?? "no \(name)")
        }
        let functions = UnsafeMutablePointer<grove_curl>.allocate(capacity: 1)
        functions.initialize(to: grove_curl())
        if let missing = grove_curl_find(functions, library) {
            functions.deallocate()
            throw Missing(reason: "\(name) has no working \(String(cString: missing))")
        }
        guard grove_curl_version(functions) >= Self.versionMin else {
            functions.deallocate()
            throw Missing(reason: "\(name) is older")
        }
        address = UInt(bitPattern: functions)
    }
}
