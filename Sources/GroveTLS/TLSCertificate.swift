import COpenSSL

/// What a certificate says.
public struct TLSCertificate: Sendable, Equatable {
    /// The subject in the form of RFC 2253, for people: at most 256 bytes.
    public let subject: String
    /// The hash of the public key.
    public let pin: PublicKeyPin
    /// The names of hosts among the alternative names.
    public let hosts: [String]
    /// The addresses of mail among the alternative names.
    public let emails: [String]
    /// The URIs among the alternative names.
    public let uris: [String]
    /// The seconds since 1970 from which it is valid.
    public let begins: Int64
    /// The seconds since 1970 until which it is valid.
    public let expires: Int64

    /// What it can be mapped to, byte for byte, in this order: `cert:uri:…`, `cert:dns:…`,
    /// `cert:email:…`, `cert:spki:sha256/…`, `cert:subject:…`. Only of a certificate that was
    /// verified do they prove anything. A subject that may have been cut is none of them: others
    /// can begin as it does.
    public var identities: [String] {
        var all = uris.map { "cert:uri:\($0)" } + hosts.map { "cert:dns:\($0)" }
        all += emails.map { "cert:email:\($0)" }
        all.append("cert:spki:\(pin)")
        if subject.utf8.count < Self.subjectBytesMax { all.append("cert:subject:\(subject)") }
        return all
    }

    /// Reads a certificate of the library; `nil` for one whose key or dates can't be read.
    init?(_ certificate: OpaquePointer) {
        guard let pin = Self.pin(of: certificate),
            let begins = Self.seconds(X509_get0_notBefore(certificate)),
            let expires = Self.seconds(X509_get0_notAfter(certificate))
        else { return nil }
        self.pin = pin
        self.begins = begins
        self.expires = expires
        subject = Self.subject(of: certificate)
        let names = Self.names(of: certificate)
        func all(_ kind: Int32) -> [String] { names.filter { $0.kind == kind }.map(\.text) }
        hosts = all(GEN_DNS)
        emails = all(GEN_EMAIL)
        uris = all(GEN_URI)
    }

    static func pin(of certificate: OpaquePointer) -> PublicKeyPin? {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, #file, #line) }
        var hash = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(encoded, Int(count), &hash, nil, EVP_sha256(), nil) == 1 else {
            return nil
        }
        return PublicKeyPin(bytes: hash)
    }

    static func subject(of certificate: OpaquePointer) -> String {
        guard let output = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(output) }
        guard grove_tls_print_name(output, X509_get_subject_name(certificate)) >= 0 else {
            return ""
        }
        return String(unsafeUninitializedCapacity: subjectBytesMax) { buffer in
            max(0, Int(BIO_read(output, buffer.baseAddress, Int32(buffer.count))))
        }
    }

    /// The alternative names of the three kinds. One with a zero byte is no name: others might read
    /// only the beginning of it.
    private static func names(
        of certificate: OpaquePointer
    ) -> [(kind: Int32, text: String)] {
        guard let raw = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            return []
        }
        let stack = OpaquePointer(raw)
        defer { GENERAL_NAMES_free(stack) }
        var names: [(kind: Int32, text: String)] = []
        for place in 0..<min(Int(OPENSSL_sk_num(stack)), namesMax) {
            guard let item = OPENSSL_sk_value(stack, Int32(place)) else { continue }
            var kind: Int32 = 0
            guard
                let value = GENERAL_NAME_get0_value(
                    item.assumingMemoryBound(to: GENERAL_NAME.self), &kind),
                [GEN_DNS, GEN_EMAIL, GEN_URI].contains(kind)
            else { continue }
            let text = value.assumingMemoryBound(to: ASN1_STRING.self)
            let bytes = UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text)))
            guard !bytes.contains(0), let name = String(validating: bytes, as: UTF8.self) else {
                continue
            }
            names.append((kind, name))
        }
        return names
    }

    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time, let zero = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_STRING_free(zero) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, zero, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
