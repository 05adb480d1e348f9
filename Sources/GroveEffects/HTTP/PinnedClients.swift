import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL

/// A host and the address of it that was checked: where connections of one client go.
struct PinnedPlace: Hashable, Sendable {
    let host: String
    let address: IPAddress
}

/// A client that connects to one address, whatever the name means by now, and shuts down when
/// nobody holds it any more: neither the cache nor a request.
final class PinnedClient: Sendable {
    let client: HTTPClient

    /// How long connecting may take: less than a request, so that the next try can take another
    /// of the name's addresses soon.
    static let connectTimeMax = Duration.seconds(10)

    init(
        _ place: PinnedPlace, options: HTTPOptions, connectTime: Duration = connectTimeMax
    ) {
        var configuration = HTTPClient.Configuration()
        // The name stays in the URL, and with it in the Host header, in the TLS greeting and in
        // the certificate that is asked for; only where to connect is taken from here.
        configuration.dnsOverride = [place.host: place.address.description]
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        configuration.proxy = nil
        configuration.decompression = .disabled
        configuration.timeout = .init(connect: TimeAmount(connectTime))
        configuration.connectionPool.idleTimeout = .seconds(15)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            options.concurrencyMax
        // Whether and when to try again is the engine's business.
        configuration.connectionPool.retryConnectionEstablishment = false
        if let file = options.additionalTrustRootsFile {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.file(file)]
            configuration.tlsConfiguration = tls
        }
        // Before a byte of a request is written: is this the address that was checked?
        configuration.http1_1ConnectionDebugInitializer = { channel in
            let peer = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
            guard peer == place.address else {
                return channel.close().flatMapThrowing { throw WrongPeer() }
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    /// A connection that doesn't lead to the address that was checked.
    struct WrongPeer: Error, CustomStringConvertible {
        var description: String { "the connection leads to an address that wasn't checked" }
    }
}

/// The clients that were used last, so that requests to one host share connections.
actor PinnedClients {
    /// Clients that are kept; the least recently used one goes.
    static let countMax = 64
    private let options: HTTPOptions
    private var clients: [PinnedPlace: (client: PinnedClient, used: UInt64)] = [:]
    private var uses: UInt64 = 0

    init(options: HTTPOptions) { self.options = options }

    /// The client for a place. Who gets it holds it as long as its request takes.
    func client(for place: PinnedPlace) -> PinnedClient {
        uses += 1
        if let known = clients[place]?.client {
            clients[place]?.used = uses
            return known
        }
        if clients.count >= Self.countMax,
            let oldest = clients.min(by: { $0.value.used < $1.value.used })
        {
            clients[oldest.key] = nil
        }
        let client = PinnedClient(place, options: options)
        clients[place] = (client, uses)
        return client
    }

    /// How many are kept.
    var count: Int { clients.count }
}
