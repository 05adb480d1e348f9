import GroveNetwork
import Transducers

/// Lets requests through to places that the operator allows, and to no others.
struct HTTPGate: Sendable {
    let options: HTTPOptions
    let resolve: NameResolver

    /// The place that a URL leads to, checked: the one answer of the resolver that there is is
    /// both looked at and connected to. So a name server that answers differently the second time
    /// isn't asked a second time.
    ///
    /// Every address of a name must be allowed, whichever is taken. Tries take them in turn, so
    /// that the second one doesn't fail by the same dead address.
    ///
    /// - Throws: `PermanentFailure` for what isn't allowed, whatever the resolver throws, and
    ///   `HTTPFailure` for a name without an address.
    func admit(_ url: HTTPURL, attempt: Int) async throws -> PinnedPlace {
        guard url.isSecure || options.allowPlaintext else {
            throw PermanentFailure(
                "http isn't allowed to \(url.authority): use https, or configure http-plaintext")
        }
        let patterns = options.allowedHosts.filter { $0.matches(url) }
        guard !patterns.isEmpty else {
            throw PermanentFailure(
                "\(url.authority) isn't allowed: configure http-allow with it")
        }
        let allowsPremises =
            options.allowPrivateAddresses || patterns.contains { $0.allowsPrivateAddresses }
        let addresses =
            if let address = url.address { [address] } else { try await resolve(url.host) }
        for address in addresses { try check(address, of: url, allowsPremises: allowsPremises) }
        guard !addresses.isEmpty else { throw HTTPFailure("\(url.host) has no address") }
        return PinnedPlace(
            host: url.host, address: addresses[max(0, attempt - 1) % addresses.count])
    }

    private func check(
        _ address: IPAddress, of url: HTTPURL, allowsPremises: Bool
    ) throws(PermanentFailure) {
        let place = url.address == nil ? "\(url.host) is at \(address)" : "\(address) is"
        switch AddressReach(of: address) {
        case .world: return
        case .premises where allowsPremises: return
        case .premises(let what):
            throw PermanentFailure(
                "\(place), \(what): configure http-allow-private with the host")
        case .nowhere(let what):
            throw PermanentFailure("\(place), \(what), which is never called")
        }
    }
}

/// A try of a request that failed and may be made again.
struct HTTPFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
