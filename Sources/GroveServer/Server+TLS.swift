import GroveEngine
import GroveNetwork
import GroveTLS
import Logging

/// Encryption: which addresses are allowed with what, and the certificates.
extension Server {
    /// Checks that every address is as safe as it must be for those who can reach it.
    ///
    /// - Throws: ``Failure/configuration(_:)`` with the ways out.
    static func checkAddresses(_ options: ServerOptions) throws(Failure) {
        guard !options.listen.isEmpty || !options.listenTLS.isEmpty else {
            throw .configuration("listen names no address")
        }
        let web = options.web.addresses.filter { !$0.isEncrypted }.map(\.address)
        for address in options.listen + web
        where !address.isLoopback && !options.allowsInsecurePlaintext {
            throw .configuration(
                "\(address) can be reached by other machines, and everybody on the way can read "
                    + "and change everything: listen on tls:\(address), or on localhost, or "
                    + "allow it with --insecure-plaintext")
        }
    }

    /// Checks that not everybody who can connect may do everything.
    ///
    /// - Parameters:
    ///   - isOpen: Whether the data file has never had a principal.
    ///   - data: The data file, for the command that helps.
    /// - Throws: ``Failure/configuration(_:)`` with the ways out.
    static func checkAccounts(
        _ options: ServerOptions, isOpen: Bool, data: String
    ) throws(Failure) {
        guard isOpen, !options.allowsInsecureAnonymous,
            options.tls.clientCertificates != .required,
            let address = options.allTLS.first(where: { !$0.isLoopback })
        else { return }
        throw .configuration(
            """
            tls:\(address) can be reached by other machines, and without a principal everybody \
            who can connect can read and change everything. Make one, and its token, with

                grove token create --data \(data) --principal admin --grant 'admin */*' \
            --grant 'send,read,subscribe,manage */*'

            or let clients show a certificate with --tls-client-certificates required and \
            --tls-client-ca, or allow it with --insecure-anonymous
            """)
    }

    /// Reads the certificates of the addresses with TLS; `nil` if there are none of these.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - speech: What is spoken there, as clients say in their handshake.
    /// - Throws: ``Failure/configuration(_:)`` with the file that is wrong.
    static func makeTLS(
        _ options: ServerOptions, for speech: BoundSocket.Speech = .lines
    ) throws(Failure) -> TLSContext? {
        guard let address = options.allTLS.first else { return nil }
        var tls = options.tls
        if speech != .lines { tls.protocols = [TLSContext.httpProtocol] }
        guard !tls.identities.isEmpty else {
            throw .configuration(
                "tls:\(address) needs a certificate: name it with --tls-certificate, and its "
                    + "private key with --tls-key")
        }
        for identity in tls.identities {
            guard !identity.certificate.isEmpty else {
                throw .configuration(
                    "tls-key: \(identity.key) has no certificate: there must be as many "
                        + "--tls-certificate as --tls-key")
            }
            guard !identity.key.isEmpty else {
                throw .configuration(
                    "tls-certificate: \(identity.certificate) has no private key: name it with "
                        + "--tls-key")
            }
        }
        if tls.clientCertificates != .none, tls.clientAuthorities == nil {
            throw .configuration(
                "tls-client-certificates: clients' certificates need the authority that signs "
                    + "them: name its file with --tls-client-ca")
        }
        if tls.clientCertificates == .none, tls.clientAuthorities != nil {
            throw .configuration(
                "tls-client-ca: no client is asked for a certificate: add "
                    + "--tls-client-certificates required, or asked")
        }
        if tls.clientCertificates == .none, tls.clientRevocations != nil {
            throw .configuration(
                "tls-client-crl: no client is asked for a certificate, so none can be revoked: add "
                    + "--tls-client-certificates required (or asked) and --tls-client-ca")
        }
        do throws(TLSContextError) {
            let context = try TLSContext(server: tls)
            try checkDates(context, of: tls)
            return context
        } catch {
            throw .configuration("TLS: \(error)")
        }
    }

    private static func checkDates(
        _ context: TLSContext, of options: TLSServerOptions
    ) throws(TLSContextError) {
        let now = Clock.time().milliseconds / 1_000
        for (certificate, identity) in zip(context.certificates, options.identities) {
            if certificate.expires <= now {
                throw TLSContextError(
                    "the certificate ended \(days(now - certificate.expires)) ago; put a new "
                        + "one in its place", file: identity.certificate)
            }
            if certificate.begins > now {
                throw TLSContextError(
                    "the certificate isn't valid until \(days(certificate.begins - now)) from now; "
                        + "look at this machine's clock", file: identity.certificate)
            }
        }
    }

    private static func days(_ seconds: Int64) -> String {
        seconds < 2 * 86_400 ? "\(seconds / 3_600) hours" : "\(seconds / 86_400) days"
    }

    /// Says, at every start, that there are no accounts.
    func logOpenAccess(isOpen: Bool) {
        guard isOpen else { return }
        log.notice(
            "no principals: everybody who can connect may do everything; see grove token --help")
    }

    /// Warns of files for TLS that aren't read, and so not checked, because no address has TLS.
    func logUnusedTLS(_ options: ServerOptions) {
        let tls = options.tls
        let keys = [
            ("tls-certificate", tls.identities.contains { !$0.certificate.isEmpty }),
            ("tls-key", tls.identities.contains { !$0.key.isEmpty }),
            ("tls-client-ca", tls.clientAuthorities != nil),
            ("tls-client-crl", tls.clientRevocations != nil),
        ]
        let unused = keys.filter(\.1).map(\.0)
        guard options.allTLS.isEmpty, !unused.isEmpty else { return }
        log.warning(
            """
            files for TLS are not read: no address has TLS; write tls:HOST:PORT in listen or \
            web-listen
            """,
            metadata: ["keys": "\(unused.joined(separator: " "))"])
    }

    /// Warns, at every start, of addresses that are less safe than they could be.
    ///
    /// - Parameter isOpen: Whether the data file has never had a principal.
    func logInsecureAddresses(isOpen: Bool) {
        let web = options.web.addresses.filter { !$0.isEncrypted }.map(\.address)
        let plain = (options.listen + web).filter { !$0.isLoopback }
        if !plain.isEmpty {
            log.warning(
                """
                insecure-plaintext: everybody who can connect, or is on the way, can read and \
                change everything
                """,
                metadata: ["addresses": "\(plain.map(\.description).joined(separator: " "))"])
        }
        let anonymous = options.allTLS.filter { !$0.isLoopback }
        if !anonymous.isEmpty, isOpen, options.tls.clientCertificates != .required {
            log.warning(
                "insecure-anonymous: everybody who can connect can read and change everything",
                metadata: ["addresses": "\(anonymous.map(\.description).joined(separator: " "))"])
        }
    }
}

extension ServerOptions {
    /// All addresses with TLS.
    var allTLS: [SocketAddress] {
        listenTLS + web.addresses.filter(\.isEncrypted).map(\.address)
    }
}
