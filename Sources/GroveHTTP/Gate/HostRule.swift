/// Which names a client may call the server by.
///
/// A page of a stranger can make its own name point to this machine (DNS rebinding), and then its
/// scripts may read every answer. So the server answers to `localhost`, to addresses, which nobody
/// can rebind, and to the names that its operator lists.
enum HostRule {
    /// Whether requests with this value of `Host` are answered.
    ///
    /// - Parameters:
    ///   - host: The value of the field, in the grammar of RFC 9112.
    ///   - names: Further names, in lower case.
    static func allows(_ host: some Collection<UInt8>, names: Set<String>) -> Bool {
        let name = self.name(of: host)
        if name.first == UInt8(ascii: "[") { return true }
        if name.elementsEqual("localhost".utf8) || name.ends(with: ".localhost") { return true }
        return isV4(name) || names.contains(String(decoding: name, as: UTF8.self))
    }

    /// The name without its port, in lower case.
    private static func name(of host: some Collection<UInt8>) -> [UInt8] {
        var name = Array(host)
        if let colon = name.lastIndex(of: UInt8(ascii: ":")),
            name[name.index(after: colon)...].allSatisfy({ (0x30...0x39).contains($0) })
        {
            name.removeSubrange(colon...)
        }
        return name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Whether it is an IPv4 address: four numbers up to 255 in decimal. Browsers write others,
    /// such as `0x7f.1`, in this form.
    private static func isV4(_ name: [UInt8]) -> Bool {
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy { (0x30...0x39).contains($0) }
                    && part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }
}

extension Array<UInt8> {
    fileprivate func ends(with suffix: StaticString) -> Bool {
        suffix.withUTF8Buffer { self.suffix($0.count).elementsEqual($0) }
    }
}
