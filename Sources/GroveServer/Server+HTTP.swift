import GroveEngine
import GroveHTTP
import GroveNetwork
import GroveProtocol
import GroveWire
import Logging
import OrderedJSON

/// HTTP: its addresses and settings.
extension Server {
    /// Listens on all addresses.
    ///
    /// - Throws: The first failure; then none is kept.
    func listen() throws(ListenFailure) -> [BoundSocket] {
        let lines = try BoundSocket.listen(
            on: options.listen, encrypted: options.listenTLS, mode: options.unixSocketMode)
        do throws(ListenFailure) {
            let web = try BoundSocket.listen(
                forHTTP: options.web, beside: options.linesReach, mode: options.unixSocketMode)
            missingWebAddress = web.missing?.address
            return lines + web.sockets
        } catch {
            for socket in lines { socket.file?.remove() }
            throw error
        }
    }

    /// Logs that the standard address of HTTP is another program's.
    func logMissingWebAddress() {
        guard let address = missingWebAddress else { return }
        log.notice(
            "no HTTP: its address is in use; choose another one with web-listen",
            metadata: ["address": "\(address)"])
    }

    /// Says that nobody can use HTTP yet, because lines aren't for all users of this machine.
    ///
    /// - Parameter isOpen: Whether there is no principal.
    func logGuardedAddress(isOpen: Bool) {
        let guarded = options.web.wanted(beside: options.linesReach).first(where: \.wantsToken)
        guard isOpen, missingWebAddress == nil, let guarded else { return }
        log.notice(
            """
            HTTP takes a token, because lines aren't for all users of this machine: make one with \
            grove token create, or let all users in with --web-listen \(guarded.address), or \
            nobody with --web-listen off
            """,
            metadata: ["address": "\(guarded.address)"])
    }

    /// What connections with HTTP share, by the options.
    ///
    /// - Parameter node: The server's name.
    static func httpSettings(_ options: ServerOptions, node: String) -> HTTPSettings {
        var settings = HTTPSettings()
        settings.hosts = Set(options.web.hosts)
        settings.origins = Set(options.web.origins)
        settings.assets = options.web.hasConsole ? ConsoleFiles.assets : HTTPAssets()
        settings.bodyBytesMax = options.limits.lineBytesMax
        settings.requestMilliseconds = options.limits.lineMilliseconds
        settings.idleMilliseconds = options.web.idleMilliseconds
        settings.depthMax = ServerLimits.depthMax
        settings.valuesMax = ServerLimits.valuesMax
        settings.metricsText = { json in
            do {
                let reply = try JSONValue(parsing: json).object ?? JSONObject()
                let text = PrometheusText.render(
                    reply, server: [("version", ProtocolVersion.server), ("node", node)])
                return Array(text.utf8)
            } catch {
                preconditionFailure("a reply is an object of JSON: \(error)")
            }
        }
        return settings
    }
}

extension BoundSocket {
    /// The address as browsers take it.
    var webText: String {
        address.isUnix
            ? address.description : (isEncrypted ? "https://" : "http://") + address.description
    }
}
