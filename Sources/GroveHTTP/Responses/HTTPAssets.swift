/// The files of the console, as they are served.
package struct HTTPAssets: Sendable {
    package struct Asset: Sendable {
        let type: StaticString
        let bytes: [UInt8]
        /// The same, compressed by gzip.
        let packed: [UInt8]

        package init(type: StaticString, bytes: [UInt8], packed: [UInt8]) {
            self.type = type
            self.bytes = bytes
            self.packed = packed
        }
    }

    private var files: [[UInt8]: Asset] = [:]

    package init() {}

    /// The file at a path of a request.
    package subscript(path: [UInt8]) -> Asset? {
        get { files[path] }
        set { files[path] = newValue }
    }

    /// What scripts and styles of the console's page may do: only what comes from this server.
    static let policy: StaticString = """
        Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
        img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; \
        frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r
        Cross-Origin-Opener-Policy: same-origin\r

        """
}
