import CCurl
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system's libcurl, loaded when it is first needed: linked, it would bring some thirty
/// libraries and 20 ms to every start of the tool, which seldom makes a request.
struct CurlLibrary: Sendable {
    /// What the library's file is called.
    static let names = ["libcurl.so.4", "libcurl.4.dylib"]

    /// The oldest version that has all that is used: 7.80, with `CURLOPT_PREREQFUNCTION`.
    static let versionMin: UInt32 = 0x07_50_00

    /// There is no library that can be used. Somebody may install it, so a request that needs it
    /// may be made again.
    struct Missing: Error, CustomStringConvertible {
        /// What the system says about it.
        let reason: String

        var description: String {
            "requests over HTTP need libcurl 7.80 or newer: install it "
                + "(on Debian and Ubuntu: apt-get install libcurl4); \(reason)"
        }
    }

    /// The address of the functions. Their memory is never given back, as the library is never
    /// unloaded.
    private let address: UInt

    /// The library's functions, for the calls of `CCurl`.
    var functions: UnsafePointer<grove_curl> {
        guard let functions = UnsafePointer<grove_curl>(bitPattern: address) else {
            preconditionFailure("a library is only made of functions that were found")
        }
        return functions
    }

    /// What was loaded, by its name.
    private static let loaded = Mutex<[String: CurlLibrary]>([:])

    /// The first of the libraries that is there, ready for use. What isn't there is looked for
    /// again the next time.
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
