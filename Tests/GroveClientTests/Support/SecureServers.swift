import Foundation
import GroveClient
import GroveTestSupport

/// Servers with TLS, and options of clients for them.
enum SecureServers {
    /// A server at a free port with an identity of the tests' certificates.
    ///
    /// - Parameters:
    ///   - name: The identity.
    ///   - clients: Whether it asks clients for certificates, in the words of its flag.
    ///   - flags: Further flags.
    static func serve(
        _ name: String = "server", clients: String = "none", flags: [String] = []
    ) throws -> ServedFile {
        let files = try TestCertificates.shared.get()
        let asking =
            clients == "none"
            ? []
            : ["--tls-client-ca", files.certificate("ca"), "--tls-client-certificates", clients]
        return try ServedFile(
            .tls(host: "127.0.0.1", port: 0),
            flags: [
                "--tls-certificate", files.certificate(name), "--tls-key", files.key(name),
            ] + asking + flags)
    }

    /// Options that trust an authority, and show an identity.
    static func trusting(_ authority: String = "ca", as name: String? = nil) throws -> TLSOptions {
        let files = try TestCertificates.shared.get()
        return TLSOptions(
            ca: files.certificate(authority), certificate: name.map { files.certificate($0) },
            key: name.map { files.key($0) })
    }

    /// The pin of an identity, by other code than the client's.
    static func pin(_ name: String) throws -> String {
        let files = try TestCertificates.shared.get()
        let der = files.path("\(name)-\(UUID().uuidString).der")
        try files.run(["pkey", "-in", files.key(name), "-pubout", "-outform", "DER", "-out", der])
        let digits = try files.run(["dgst", "-sha256", "-r", der]).prefix(64)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { start -> UInt8? in
            let index = digits.index(digits.startIndex, offsetBy: start)
            return UInt8(digits[index...].prefix(2), radix: 16)
        }
        return "sha256/" + Data(bytes).base64EncodedString()
    }

    /// A client whose calls are sent once.
    static func client(
        _ address: ServerAddress, _ tls: TLSOptions, timeout: Duration = .seconds(60)
    ) -> Client {
        Client(
            options: ClientOptions(
                server: address, tls: tls, connectTimeout: timeout, requestTimeout: timeout))
    }

    /// The server's address with another host.
    static func address(_ served: ServedFile, host: String) -> ServerAddress {
        guard case .tls(_, let port) = served.address else { return served.address }
        return .tls(host: host, port: port)
    }
}
