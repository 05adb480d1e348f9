import ArgumentParser
import GroveClient

/// The flags for a server at `tls:HOST:PORT`.
struct TLSFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A PEM file with the authorities of the server's certificate, instead of the system's. "
                + "(default: $GROVE_SERVER_CA)", valueName: "file"), completion: .file())
    var tlsCa: String?

    @Option(
        help: ArgumentHelp(
            "The SHA-256 of the server's public key: sha256/BASE64. It replaces authority and "
                + "name, unless --tls-ca is there too. (default: $GROVE_SERVER_PIN)",
            valueName: "pin"))
    var tlsPin: TLSOptions.Pin?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificate that the client shows. (default: "
                + "$GROVE_CLIENT_CERTIFICATE)", valueName: "file"), completion: .file())
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with its private key. (default: $GROVE_CLIENT_KEY)", valueName: "file"),
        completion: .file())
    var tlsKey: String?

    /// The options of the flags, else of the environment. An address without TLS has none: flags
    /// for it are a mistake, while the environment is for other commands too.
    func options(for address: ServerAddress) throws(ValidationError) -> TLSOptions {
        guard address.isSecure else {
            let given = [
                ("--tls-ca", tlsCa), ("--tls-pin", tlsPin?.description),
                ("--tls-certificate", tlsCertificate), ("--tls-key", tlsKey),
            ].first { $0.1 != nil }
            guard let given else { return TLSOptions() }
            throw ValidationError(
                "\(given.0) is for a server with TLS, tls:HOST:PORT, and this one is \(address).")
        }
        let environmentPin = try Self.environmentPin()
        let options = TLSOptions(
            ca: tlsCa ?? ConnectionFlags.environment("GROVE_SERVER_CA"),
            pin: tlsPin ?? environmentPin,
            certificate: tlsCertificate ?? ConnectionFlags.environment("GROVE_CLIENT_CERTIFICATE"),
            key: tlsKey ?? ConnectionFlags.environment("GROVE_CLIENT_KEY"))
        guard (options.certificate == nil) == (options.key == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together.")
        }
        return options
    }

    private static func environmentPin() throws(ValidationError) -> TLSOptions.Pin? {
        guard let text = ConnectionFlags.environment("GROVE_SERVER_PIN") else { return nil }
        guard let pin = TLSOptions.Pin(text) else {
            throw ValidationError("GROVE_SERVER_PIN is no pin, sha256/BASE64: \(text)")
        }
        return pin
    }
}
