import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The time zone database of the system, read when a zone is first asked for.
///
/// The only part of the language that isn't a function of its arguments alone: the rules of zones
/// change with the system's updates. A process reads each zone once.
final class ZoneDatabase: Sendable {
    static let shared = ZoneDatabase(folder: "/usr/share/zoneinfo")

    private let folder: String
    /// The zones that were asked for.
    private let zones = Mutex<[String: ZoneRules]>([:])

    init(folder: String) { self.folder = folder }

    /// The rules of a zone such as `Europe/Berlin`; nil if there is no such zone.
    func rules(of name: String) -> ZoneRules? {
        guard Self.isName(name) else { return nil }
        return zones.withLock { zones in
            if let known = zones[name] { return known }
            let rules = Self.read(folder + "/" + name).flatMap { ZoneRules(tzif: $0) }
            // Names come from expressions and their input: wrong ones take no room.
            if let rules, zones.count < CELLimits.zonesMax { zones[name] = rules }
            return rules
        }
    }

    /// Files of the folder that are no zones of the database, but what the system has chosen.
    private static let systemFiles: Set = ["localtime", "posixrules"]

    /// Whether a name consists of parts of letters, digits, `_`, `+` and `-`, so that no path leads
    /// out of the folder.
    private static func isName(_ name: String) -> Bool {
        guard !systemFiles.contains(name), name.utf8.count <= CELLimits.zoneNameBytesMax else {
            return false
        }
        let parts = name.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { byte in
                    byte.isDigit || 0x61...0x7A ~= byte | 0x20
                        || [UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte)
                }
        }
    }

    /// The bytes of a regular file; nil if there is none or it is too large for a zone.
    private static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: CELLimits.zoneBytesMax)
        var count = 0
        while count < bytes.count {
            let room = bytes.count - count
            let read = bytes.withUnsafeMutableBytes { buffer in
                #if canImport(Darwin)
                    Darwin.read(file, buffer.baseAddress.map { $0 + count }, room)
                #elseif canImport(Musl)
                    Musl.read(file, buffer.baseAddress.map { $0 + count }, room)
                #else
                    Glibc.read(file, buffer.baseAddress.map { $0 + count }, room)
                #endif
            }
            if read == 0 { return Array(bytes[..<count]) }
            guard read > 0 else { return nil }
            count += read
        }
        return nil
    }
}
