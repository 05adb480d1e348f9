import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveTestSupport
import Logging

@testable import GroveServer

/// What tests of servers with TLS share.
enum TLSServing {
    /// Sets options to listen with an identity of the tests' certificates, and nowhere else.
    static func apply(
        to options: inout ServerOptions, _ names: String..., clients: String? = nil
    ) throws {
        let certificates = try TestCertificates.shared.get()
        options.listen = []
        options.listenTLS = [.loopbackV4(port: 0)]
        options.tls.identities = (names.isEmpty ? ["server"] : names).map {
            TLSIdentity(certificate: certificates.certificate($0), key: certificates.key($0))
        }
        if let clients, clients != "none" {
            options.tls.clientAuthorities = certificates.certificate("ca")
            options.tls.clientCertificates =
                TLSServerOptions.ClientCertificates(rawValue: clients) ?? .none
        }
    }

    /// Runs `body` with a server that only listens with TLS.
    static func with(
        _ log: KeptLog = KeptLog(), _ change: (inout ServerOptions) -> Void = { _ in },
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        var prepared = ServerOptions()
        try apply(to: &prepared)
        let (addresses, tls) = (prepared.listenTLS, prepared.tls)
        try await RunningServer.with(
            {
                $0.listen = []
                $0.listenTLS = addresses
                $0.tls = tls
                change(&$0)
            }, log: log.logger(level: .debug), body)
    }

    /// The context of a client that trusts the tests' authority.
    static func client(
        _ name: String? = nil, change: (inout TLSClientOptions) -> Void = { _ in }
    ) throws -> TLSContext {
        try TLSContext(client: TLSPair.client(name, change: change))
    }

    /// A client that has read the greeting.
    static func connect(_ running: RunningServer, as name: String? = nil) throws -> LineClient {
        try LineClient(port: running.address.port, tls: client(name))
    }
}

extension LineClient {
    /// Sends a line and reads one.
    func ask(_ text: String) throws -> String {
        try send(text)
        return try readLine()
    }
}
