/// The operator's options for the ``HTTPHandler``. The defaults allow no host: the author of a
/// machine, or a client that sends it events, must not choose what this system connects to.
public struct HTTPOptions: Sendable {
    /// The allowed hosts. Default: none.
    public var allowedHosts: [HostPattern]
    /// Whether requests may go to addresses of this system and its network: loopback, private
    /// (RFC 1918, `fc00::/7`), shared (100.64.0.0/10), and those for benchmarks. Link-local
    /// addresses and those of metadata services are always refused.
    public var allowPrivateAddresses = false
    /// Whether `http` is allowed, which everyone between both sides can read and change.
    public var allowPlaintext = false
    /// Bytes of an answer's body. A larger one is refused, and its connection closed. Default:
    /// 1 MiB, the maximum of an effect's result.
    public var responseBytesMax = 1 << 20
    /// The number of redirects to follow, each checked like the first request. Default: 0, so a
    /// redirect is an answer like any other.
    public var redirectsMax = 0
    /// The time limit of a request that sets none, from the lookup of the name to the end of the
    /// answer.
    public var timeout = Duration.seconds(30)
    /// The longest time limit that a request can set.
    public var timeoutMax = Duration.seconds(300)
    /// Requests that run at once; others wait in the engine.
    public var concurrencyMax = 64
    /// Requests to one host that run at once, so that an unresponsive host doesn't block others; at
    /// most ``concurrencyMax``.
    public var perHostMax = 16
    /// The secrets that headers of requests may have, with their values. Default: none.
    public var secrets = EffectSecrets()
    /// The names of ``secrets``, and where each may be used: a server reads their values when it
    /// starts, and when it reads its configuration again.
    public var secretGrants: [SecretGrant] = []
    /// The folder with a file for each of ``secretGrants``; `nil` for none.
    public var secretsFolder: String?
    /// A file with the certificates (PEM) to trust instead of the system's; `nil` for the system's.
    public var trustRootsFile: String?
    /// A file with certificates (PEM) to trust in addition to the system's; `nil` for none.
    public var additionalTrustRootsFile: String?

    /// Names of the system's libcurl, in the order in which to try them.
    package var libraryNames = CurlLibrary.names

    /// Options that allow these hosts.
    public init(allowedHosts: [HostPattern] = []) { self.allowedHosts = allowedHosts }
}
