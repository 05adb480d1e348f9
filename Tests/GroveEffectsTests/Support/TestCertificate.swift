import NIOSSL

/// A certificate for `pinned.example`, signed by itself, with its key: worth nothing outside of
/// these tests. Good until 2120.
enum TestCertificate {
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBbzCCARagAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5waW5uZWQu
        ZXhhbXBsZTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGTEXMBUG
        A1UEAwwOcGlubmVkLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQR
        iwQpZXoBIRrgydFoAebz6g6bjQGk3zLW2tf1AO6GsT9dtOemzry2q3jpljJGGFtn
        3ui634aZD3S84gDOgqllo00wSzAZBgNVHREEEjAQgg5waW5uZWQuZXhhbXBsZTAP
        BgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBTKhjsYAXOAYWiqvrcBD1uoVesRfzAK
        BggqhkjOPQQDAgNHADBEAiB182rd9rNq5psFQmeXnpXvYXNy5LCWOordEE5USL0c
        swIgWSG6Q4apQA6oiBnYgdWRhKzCg/MrHvw9S80OcfNUqoU=
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPu4iKH87qLA/8ey4
        t5RHqZ0JanBfIovK7jk+0KsnEIWhRANCAAQRiwQpZXoBIRrgydFoAebz6g6bjQGk
        3zLW2tf1AO6GsT9dtOemzry2q3jpljJGGFtn3ui634aZD3S84gDOgqll
        -----END PRIVATE KEY-----
        """

    /// What a server needs to show it.
    static func serverContext() throws -> NIOSSLContext {
        let certificate = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
    }
}
