import GroveProtocol
import GroveTLS
import OrderedJSON

extension ConfigurationKey {
    /// Certificates and rules of addresses with TLS. All take effect at SIGHUP, for new
    /// connections; the files are read again then, whatever changed.
    static let encryption: [ConfigurationKey] = [
        ConfigurationKey(
            "tls-certificate", .texts, default: [],
            reason: "PEM files with the certificates of addresses with TLS, each followed by the "
                + "certificates of its authorities. A client that asks for a name gets the first "
                + "one that has it, others the first of all.",
            isReloadable: true
        ) { $0.pair($1.checkedTexts, \.certificate) },
        ConfigurationKey(
            "tls-key", .texts, default: [],
            reason: "PEM files with the private keys of tls-certificate, in the same order, "
                + "without pass phrases. A key that users outside its group can read is refused.",
            isReloadable: true
        ) { $0.pair($1.checkedTexts, \.key) },
        ConfigurationKey(
            "tls-min-version", .word(TLSVersion.allCases.map(\.rawValue)), default: "1.2",
            reason: "The oldest version of TLS. 1.2 is for clients of before 2018; it is only "
                + "spoken with ciphers that are as good as those of 1.3.",
            isReloadable: true
        ) { $0.options.tls.versionMin = TLSVersion(rawValue: $1.checkedText) ?? .v1_2 },
        ConfigurationKey(
            "tls-client-ca", .text, default: "",
            reason: "A PEM file with the authorities of clients' certificates. No other authority "
                + "counts, not even those that the system trusts.",
            isReloadable: true
        ) { $0.options.tls.clientAuthorities = $1.checkedText.isEmpty ? nil : $1.checkedText },
        ConfigurationKey(
            "tls-client-certificates",
            .word(TLSServerOptions.ClientCertificates.allCases.map(\.rawValue)), default: "none",
            reason: "Whether clients show a certificate of tls-client-ca: none is asked for; asked "
                + "refuses only one that isn't valid; required refuses clients without a valid "
                + "one.",
            isReloadable: true
        ) {
            $0.options.tls.clientCertificates =
                TLSServerOptions.ClientCertificates(rawValue: $1.checkedText) ?? .none
        },
        ConfigurationKey(
            "tls-client-crl", .text, default: "",
            reason: "A PEM file with lists of revoked certificates, one of each authority that "
                + "signs certificates of clients. A client whose certificate is in its "
                + "authority's list is refused. All clients of an authority are refused if it "
                + "has no list, if its list is past its date, or if the authority above it has "
                + "revoked it; that one needs no list. The lists are whole ones: a file with a "
                + "delta list is refused. Empty means that none is revoked.",
            isReloadable: true
        ) { $0.options.tls.clientRevocations = $1.checkedText.isEmpty ? nil : $1.checkedText },
        .integer(
            "tls-handshakes-per-s", 1...100_000, \.limits.handshakesPerSecond,
            unit: "handshakes",
            reason: "TLS handshakes that begin per second. Above this bound clients wait for their "
                + "turn; 64 of them are accepted, and more wait in the system's queue. A handshake "
                + "takes about a third of a millisecond of a core with a key on P-256, and half of "
                + "one with RSA.", isReloadable: true),
    ]
}
