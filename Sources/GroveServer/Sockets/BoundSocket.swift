import Glibc
import GroveNetwork

/// A listening socket with its address.
struct BoundSocket {
    let socket: Socket
    /// The address, with the port that the system has chosen.
    let address: SocketAddress
    var file: UnixSocketFile?
    /// Whether its connections begin with TLS.
    var isEncrypted = false
    /// What its clients speak.
    var speech = Speech.lines
    /// Whether it is the standard address of HTTP, which nobody has named.
    var isAutomatic = false
    /// Whether clients must show a token also while no principal exists.
    var wantsToken = false

    /// What clients speak at an address.
    enum Speech {
        /// Lines of the protocol.
        case lines
        case http
        /// HTTP, of which only requests that read are carried out.
        case httpToRead
    }

    /// Listens on an address. A Unix socket's file gets the permissions `mode`; at most `backlog`
    /// clients wait to be accepted.
    static func listen(
        on wanted: SocketAddress, mode: mode_t, backlog: Int32
    ) throws(ListenFailure) -> BoundSocket {
        if case .unix(let path) = wanted.host {
            let made = try UnixSocketFile.listen(at: path, mode: mode, backlog: backlog)
            return BoundSocket(socket: made.socket, address: wanted, file: made.file)
        }
        do throws(SocketError) {
            let socket = try Socket.listening(on: wanted, backlog: backlog)
            return BoundSocket(socket: socket, address: try socket.localAddress())
        } catch {
            throw ListenFailure(wanted, error)
        }
    }

    /// Connections that the kernel keeps until they are accepted: under a storm of clients they are
    /// served late instead of refused.
    static let backlog: Int32 = 4_096

    /// Listens on all addresses; those with port 0 share the port that the first one gets. Files of
    /// Unix sockets get the permissions `mode`.
    ///
    /// - Parameters:
    ///   - addresses: Addresses whose connections are in plaintext.
    ///   - encrypted: Addresses whose connections begin with TLS.
    ///   - mode: The permissions of Unix sockets.
    /// - Throws: The first failure; then no address is kept.
    static func listen(
        on addresses: [SocketAddress], encrypted: [SocketAddress] = [], mode: mode_t
    ) throws(ListenFailure) -> [BoundSocket] {
        let plain = try bind(addresses, mode: mode)
        do throws(ListenFailure) {
            return plain
                + (try bind(encrypted, mode: mode)).map { bound in
                    var bound = bound
                    bound.isEncrypted = true
                    return bound
                }
        } catch {
            for made in plain { made.file?.remove() }
            throw error
        }
    }

    /// Listens on addresses for HTTP.
    ///
    /// - Parameters:
    ///   - web: The options.
    ///   - lines: How far lines reach.
    ///   - mode: The permissions of Unix sockets.
    /// - Returns: The sockets, and the failure of the standard address, which isn't one of the
    ///   start: somebody else uses its port.
    /// - Throws: The first failure of another address; then none is kept.
    static func listen(
        forHTTP web: WebOptions, beside lines: LinesReach, mode: mode_t
    ) throws(ListenFailure) -> (sockets: [BoundSocket], missing: ListenFailure?) {
        var sockets: [BoundSocket] = []
        var missing: ListenFailure?
        for wanted in web.wanted(beside: lines) {
            do throws(ListenFailure) {
                var bound = try listen(on: wanted.address, mode: mode, backlog: backlog)
                bound.isEncrypted = wanted.isEncrypted
                bound.speech = wanted.isReadOnly ? .httpToRead : .http
                bound.wantsToken = wanted.wantsToken
                bound.isAutomatic = wanted.isStandard
                sockets.append(bound)
            } catch {
                guard wanted.isStandard else {
                    // "localhost" includes ::1 also on a machine without IPv6.
                    if case .v6 = wanted.address.host, !sockets.isEmpty, error.isMissingFamily {
                        continue
                    }
                    for made in sockets { made.file?.remove() }
                    throw error
                }
                missing = error
            }
        }
        return (sockets, missing)
    }

    private static func bind(
        _ addresses: [SocketAddress], mode: mode_t
    ) throws(ListenFailure) -> [BoundSocket] {
        var port: UInt16?
        var bound: [BoundSocket] = []
        for address in addresses {
            var wanted = address
            if !wanted.isUnix, wanted.port == 0, let port { wanted.port = port }
            do throws(ListenFailure) {
                let made = try listen(on: wanted, mode: mode, backlog: backlog)
                if !wanted.isUnix { port = port ?? made.address.port }
                bound.append(made)
            } catch {
                // "localhost" includes ::1 also on a machine without IPv6.
                if case .v6 = address.host, !bound.isEmpty, error.isMissingFamily { continue }
                for made in bound { made.file?.remove() }
                throw error
            }
        }
        return bound
    }
}
