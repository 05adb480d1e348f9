#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension SocketAddress {
    /// Bytes of the longest path: the room in the system's form of the address, less the zero at
    /// its end.
    public static let unixPathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
}
