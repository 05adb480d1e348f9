/// What the operator allows the ``HTTPHandler``. As it is made, it allows nothing: who writes a
/// machine, or can send it events, must not thereby choose what this machine connects to.
public struct HTTPOptions: Sendable {
    /// The hosts that may be called. Empty, as it is unless set, for none.
    public var allowedHosts: [HostPattern]
    /// Whether addresses of this machine and its network may be called: loopback, private ones
    /// (RFC 1918, `fc00::/7`), shared ones (100.64.0.0/10) and those for benchmarks. Link-local
    /// addresses and those of metadata services are refused whatever is said here.
    public var allowPrivateAddresses = false
    /// Whether `http` may be called. Then everybody on the way can read and change what is said.
    public var allowPlaintext = false
    /// Bytes of an answer's body that are read; one that has more is refused, and the connection
    /// closed. 1 MiB unless set; no result of an effect can have more.
    public var responseBytesMax = 1 << 20
    /// How many redirects are followed, each checked like the first request. 0, as it is unless
    /// set, for none: then an answer with a redirect is one like any other.
    public var redirectsMax = 0
    /// How long a request may take, from looking up the name to the end of the answer, where it
    /// says nothing.
    public var timeout = Duration.seconds(30)
    /// How long a request may take at most, whatever it says.
    public var timeoutMax = Duration.seconds(300)
    /// Requests under way at once; others wait in the engine.
    public var concurrencyMax = 64
    /// Requests to one host under way at once, so that one that doesn't answer leaves the others
    /// their places; at most ``concurrencyMax``.
    public var perHostMax = 16
    /// A file with certificates (PEM) that are trusted besides the system's; `nil` for none.
    public var additionalTrustRootsFile: String?

    /// Files that may be the system's libcurl, the first one first.
    package var libraryNames = CurlLibrary.names

    /// Allows what is on the list and nothing else.
    public init(allowedHosts: [HostPattern] = []) { self.allowedHosts = allowedHosts }
}
