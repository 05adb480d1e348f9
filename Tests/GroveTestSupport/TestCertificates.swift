import Foundation

/// Certificates for tests, made by the program `openssl`. Each name is an identity in two files of
/// one folder, `NAME.pem` and `NAME.key`.
public final class TestCertificates: Sendable {
    /// What all tests of a process share: made once, with the identities
    ///
    /// - `ca` and `stranger`, two authorities, and `double`, which has the name of the first;
    /// - `server` for `localhost` and `127.0.0.1`, `other` for `other.example`, `expired` for
    ///   `localhost`, `soon` for `localhost` and ten days, `strange` for `localhost` by the
    ///   stranger, `forged` for it by the double, and `localhost`, with a name in its subject only;
    /// - `client` with three alternative names, `late`, which has expired, `foreign` by the
    ///   stranger, and `wrongly`, which is for servers only.
    public static let shared = Result { try TestCertificates() }

    private let folder: URL

    private init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("grove-certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["ca", "stranger"] { try makeAuthority(name) }
        try makeAuthority("double", named: "ca")
        let local = "subjectAltName=DNS:localhost,IP:127.0.0.1"
        try make("server", local)
        try make("other", "subjectAltName=DNS:other.example")
        try make("expired", local, days: -1)
        try make("soon", local, days: 10)
        try make("strange", local, by: "stranger")
        // With an identifier of the issuer's key, the authority of the same name isn't tried.
        try make("forged", local + "\nauthorityKeyIdentifier=none", by: "double")
        try make("localhost", "extendedKeyUsage=serverAuth")
        let names =
            "subjectAltName=DNS:client.example,email:a@client.example,URI:grove:shop"
            + "\nextendedKeyUsage=clientAuth"
        try make("client", names)
        try make("late", "extendedKeyUsage=clientAuth", days: -1)
        try make("foreign", "extendedKeyUsage=clientAuth", by: "stranger")
        try make("wrongly", "extendedKeyUsage=serverAuth")
    }

    /// The path of an identity's certificate.
    public func certificate(_ name: String) -> String { path("\(name).pem") }

    /// The path of an identity's private key.
    public func key(_ name: String) -> String { path("\(name).key") }

    /// The path of a file in the folder.
    public func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Makes an identity that an authority signs.
    ///
    /// - Parameters:
    ///   - name: Its name, also the common name of its subject.
    ///   - extensions: Lines of an `openssl` section of extensions.
    ///   - issuer: The authority.
    ///   - days: The days for which it is valid, or since which it has expired, if negative.
    public func make(
        _ name: String, _ extensions: String, by issuer: String = "ca", days: Int = 365
    ) throws {
        let section = path("\(name).ext")
        try Data((extensions + "\nbasicConstraints=critical,CA:FALSE\n").utf8)
            .write(to: URL(filePath: section))
        try run(
            ["req", "-new"] + Self.newKey
                + ["-keyout", key(name), "-out", path("\(name).csr"), "-subj", "/CN=\(name)"])
        try run([
            "x509", "-req", "-in", path("\(name).csr"), "-days", "\(days)", "-CA",
            certificate(issuer), "-CAkey", key(issuer), "-CAcreateserial", "-extfile", section,
            "-out", certificate(name),
        ])
    }

    /// Makes a list of revoked certificates in the folder, and returns its path.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - revoked: The identities in it.
    ///   - issuer: The authority that signs it.
    ///   - dates: Options of `openssl ca` about its dates.
    ///   - extensions: Lines of the section of the list's extensions.
    public func makeRevocationList(
        _ name: String, of revoked: [String], by issuer: String = "ca",
        dates: [String] = ["-crldays", "30"], extensions: String = ""
    ) throws -> String {
        let (settings, index) = (path("\(name).settings"), path("\(name).index"))
        try Data().write(to: URL(filePath: index))
        let section = extensions.isEmpty ? "" : "crl_extensions=e\n[e]\n\(extensions)\n"
        try Data("[ca]\ndefault_ca=d\n[d]\ndatabase=\(index)\ndefault_md=sha256\n\(section)".utf8)
            .write(to: URL(filePath: settings))
        let authority = [
            "ca", "-config", settings, "-keyfile", key(issuer), "-cert", certificate(issuer),
        ]
        for identity in revoked { try run(authority + ["-revoke", certificate(identity)]) }
        try run(authority + ["-gencrl"] + dates + ["-out", path("\(name).crl")])
        return path("\(name).crl")
    }

    /// Makes an authority.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - subject: The common name of its subject, if it is another one.
    ///   - issuer: The authority that signs it; `nil` for itself.
    public func makeAuthority(
        _ name: String, named subject: String? = nil, by issuer: String? = nil
    ) throws {
        let signer = issuer.map { ["-CA", certificate($0), "-CAkey", key($0)] } ?? []
        try run(
            ["req", "-x509"] + Self.newKey + signer + [
                "-keyout", key(name), "-out", certificate(name), "-subj",
                "/CN=\(subject ?? name)", "-days", "365", "-addext",
                "basicConstraints=critical,CA:TRUE", "-addext",
                "keyUsage=critical,keyCertSign,cRLSign",
            ])
    }

    private static let newKey = [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
    ]

    /// Runs `openssl` and returns its standard output.
    ///
    /// - Throws: ``TestProblem`` with its messages if it fails.
    @discardableResult
    public func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw TestProblem(
                "openssl \(arguments.first ?? ""): \(String(decoding: complaint, as: UTF8.self))")
        }
        return String(decoding: said, as: UTF8.self)
    }

    /// Removes the files of the shared identities.
    deinit {
        // If removal fails, the system cleans up its temporary files later.
        try? FileManager.default.removeItem(at: folder)
    }
}
