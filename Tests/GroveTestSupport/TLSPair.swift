public import GroveTLS

/// A client and a server that talk to each other in memory.
public final class TLSPair {
    public var client: TLSConnection
    public var server: TLSConnection
    /// What each side has received.
    public var clientReceived: [UInt8] = []
    public var serverReceived: [UInt8] = []
    /// The most bytes that have waited on either side.
    public private(set) var waitingMax = 0

    /// A pair whose contexts are made for it.
    public convenience init(
        _ client: TLSClientOptions, _ server: TLSServerOptions, serverName: String = "localhost"
    ) throws {
        try self.init(
            TLSContext(client: client), TLSContext(server: server), serverName: serverName)
    }

    /// A pair of two contexts; the client's first bytes wait.
    public init(
        _ client: TLSContext, _ server: TLSContext, serverName: String = "localhost"
    ) throws {
        self.client = try TLSConnection(client: client, serverName: serverName)
        self.server = TLSConnection(server: server)
    }

    /// Carries bytes both ways, in pieces of this size, until nothing waits.
    public func carry(pieceBytes: Int = .max) {
        while client.waitingBytes + server.waitingBytes > 0 {
            waitingMax = max(waitingMax, client.waitingBytes, server.waitingBytes)
            client.takeOutbound { bytes in
                let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(pieceBytes))
                server.receive(piece, into: &serverReceived)
                return piece.count
            }
            server.takeOutbound { bytes in
                let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(pieceBytes))
                client.receive(piece, into: &clientReceived)
                return piece.count
            }
        }
    }

    /// Sends from one side what it takes now; returns the number of bytes.
    @discardableResult
    public func send(_ bytes: [UInt8], from role: TLSRole) -> Int {
        bytes.withUnsafeBytes {
            role == .client ? client.send($0) : server.send($0)
        }
    }

    /// The failure of the client, if it has failed.
    public var clientFailure: TLSFailure? {
        if case .failed(let failure) = client.phase { failure } else { nil }
    }

    /// The failure of the server, if it has failed.
    public var serverFailure: TLSFailure? {
        if case .failed(let failure) = server.phase { failure } else { nil }
    }

    // MARK: Options

    /// A server with an identity of the test's certificates.
    public static func server(
        _ names: String..., change: (inout TLSServerOptions) -> Void = { _ in }
    ) throws -> TLSServerOptions {
        let certificates = try TestCertificates.shared.get()
        var options = TLSServerOptions()
        options.identities = (names.isEmpty ? ["server"] : names).map {
            TLSIdentity(certificate: certificates.certificate($0), key: certificates.key($0))
        }
        change(&options)
        return options
    }

    /// A client that trusts the tests' authority, with an identity if it has a name.
    public static func client(
        _ name: String? = nil, change: (inout TLSClientOptions) -> Void = { _ in }
    ) throws -> TLSClientOptions {
        let certificates = try TestCertificates.shared.get()
        var options = TLSClientOptions()
        options.trust = .authorities(file: certificates.certificate("ca"))
        options.identity = name.map {
            TLSIdentity(certificate: certificates.certificate($0), key: certificates.key($0))
        }
        change(&options)
        return options
    }
}
