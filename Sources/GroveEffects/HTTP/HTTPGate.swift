import GroveNetwork
import Transducers

/// Allows requests to the places that the operator has configured, and to no others.
struct HTTPGate: Sendable {
    let options: HTTPOptions
    let resolve: NameResolver

    /// Checks a URL and returns the address to connect to. The resolver is asked once, and its
    /// answer is both checked and used: a name server could answer differently the second time.
    ///
    /// All addresses of a name must be allowed. Attempts use them in turns, so that the second
    /// attempt doesn't fail for the same dead address.
    ///
    /// - Throws: `PermanentFailure` for a place that isn't allowed, the resolver's errors, and
    ///   `HTTPFailure` for a name without an address.
    func admit(_ url: HTTPURL, attempt: Int) async throws -> IPAddress {
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
        return addresses[max(0, attempt - 1) % addresses.count]
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
