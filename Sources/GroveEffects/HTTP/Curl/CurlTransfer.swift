import CCurl
import GroveNetwork
import Transducers

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One request of libcurl: its handle, its options, and its answer.
///
/// Its address is checked three times. The library gets an address to connect to, and no name. A
/// socket is made for that address only. Before the request is written on a connection, also on a
/// kept one, the remote address is compared.
final class CurlTransfer {
    /// Options of all requests of a loop.
    struct Options: Sendable {
        var bodyBytesMax = 1 << 20
        var connectTime = CurlLoop.connectTimeMax
        /// The time after which an unused connection is closed.
        var idleTime = CurlLoop.idleTimeMax
        /// A file with the certificates to trust instead of the system's.
        var trustRootsFile: String?
        /// A file with certificates to trust in addition to the system's.
        var additionalTrustRootsFile: String?
        /// Another address for the library to connect to: for tests, as if the first check had
        /// failed.
        var diversion: IPAddress?
    }

    let easy: UnsafeMutableRawPointer
    /// The number that the loop has given it.
    var number: UInt64 = 0
    /// The caller that waits for the answer.
    var continuation: CheckedContinuation<HTTPAnswer, any Error>?

    private let library: CurlLibrary
    private let authority: String
    /// The only address that it may go to.
    private let address: IPAddress
    private let port: Int
    private var reader: HTTPAnswerReader
    /// Whether the library wanted to use another address.
    private var wasDiverted = false
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private let errorText: UnsafeMutablePointer<CChar>

    /// Prepares a request.
    ///
    /// - Throws: `HTTPFailure` if the library refuses a part of it.
    init(
        _ hop: HTTPHop, at address: IPAddress, _ library: CurlLibrary, _ options: Options
    ) throws(HTTPFailure) {
        guard let easy = grove_curl_easy(library.functions) else {
            throw HTTPFailure("libcurl has no memory for a request")
        }
        self.easy = easy
        self.library = library
        self.address = address
        authority = hop.url.authority
        port = hop.url.port
        reader = HTTPAnswerReader(
            bodyBytesMax: options.bodyBytesMax, expectsBody: hop.method != "HEAD")
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try describe(hop)
        try confine(hop, options)
        try trust(options)
    }

    deinit {
        grove_curl_easy_cleanup(library.functions, easy)
        for list in lists { grove_curl_free(library.functions, list) }
        errorText.deallocate()
    }

    // MARK: Options

    private func describe(_ hop: HTTPHop) throws(HTTPFailure) {
        try set(CURLOPT_URL, hop.url.text)
        try set(CURLOPT_PATH_AS_IS, 1)
        // Version 2 with https, if both sides support it; otherwise 1.1.
        let versions = [CURL_HTTP_VERSION_2TLS, CURL_HTTP_VERSION_1_1]
        let isTaken = versions.contains { version in
            grove_curl_set_long(
                library.functions, easy, CURLOPT_HTTP_VERSION, Int(version)) == CURLE_OK
        }
        guard isTaken else { throw HTTPFailure("libcurl knows no version of HTTP") }
        if hop.method == "HEAD" { try set(CURLOPT_NOBODY, 1) }
        // RFC 9110 wants an empty body of methods that usually have one.
        if hop.body != nil || ["POST", "PUT", "PATCH"].contains(hop.method) {
            let body = hop.body ?? []
            try set(CURLOPT_POST, 1)
            try check(grove_curl_set_body(library.functions, easy, body, body.count))
        }
        try set(CURLOPT_CUSTOMREQUEST, hop.method)
        // No headers that the caller didn't set: a name without a value removes a header of the
        // library, and a name with a semicolon is sent without a value.
        var lines = ["Expect:"]
        for name in ["accept", "content-type"] where hop.header(name) == nil {
            lines.append("\(name):")
        }
        for header in hop.headers {
            let isBlank = header.value.allSatisfy { $0 == " " || $0 == "\t" }
            lines.append(isBlank ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        try set(CURLOPT_HTTPHEADER, lines)
    }

    /// Confines the request to its address, and turns off the library's own features.
    private func confine(_ hop: HTTPHop, _ options: Options) throws(HTTPFailure) {
        let address = options.diversion ?? self.address
        let target = address.isVersion6 ? "[\(address)]" : address.description
        // For any host and port in the URL. Not CURLOPT_RESOLVE, which sets the address of a name:
        // connections are kept by name, and one to an earlier address would be used again.
        try set(CURLOPT_CONNECT_TO, ["::\(target):\(hop.url.port)"])
        try check(grove_curl_set_protocols(library.functions, easy))
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "*")
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try set(CURLOPT_NOSIGNAL, 1)
        let milliseconds = max(1, Int(options.connectTime / .milliseconds(1)))
        try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
        try set(CURLOPT_MAXAGE_CONN, max(1, Int(options.idleTime / .seconds(1))))
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(
            grove_curl_set_callbacks(
                library.functions, easy, curlTookBody, curlTookHead, curlWantsSocket,
                curlIsReady, context))
        try check(grove_curl_set_error(library.functions, easy, errorText))
    }

    private func trust(_ options: Options) throws(HTTPFailure) {
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = options.trustRootsFile {
            try set(CURLOPT_CAINFO, file)
            try check(grove_curl_set_text(library.functions, easy, CURLOPT_CAPATH, nil))
            return
        }
        guard let file = options.additionalTrustRootsFile else { return }
        // The first replaces the system's file, the second keeps its folder.
        let folder = grove_curl_capath(library.functions).map { String(cString: $0) }
        try set(CURLOPT_CAINFO, file)
        try set(CURLOPT_CAPATH, folder ?? "/etc/ssl/certs")
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(grove_curl_set_long(library.functions, easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPFailure) {
        try check(grove_curl_set_text(library.functions, easy, option, value))
    }

    private func set(_ option: CURLoption, _ lines: [String]) throws(HTTPFailure) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = grove_curl_append(library.functions, list, line) else {
                grove_curl_free(library.functions, list)
                throw HTTPFailure("libcurl has no memory for a request")
            }
            list = longer
        }
        guard let list else { return }
        lists.append(list)
        try check(grove_curl_set_list(library.functions, easy, option, list))
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else {
            throw HTTPFailure("libcurl doesn't take the request: \(meaning(of: code))")
        }
    }

    private func meaning(of code: CURLcode) -> String {
        String(cString: grove_curl_error(library.functions, code))
    }

    // MARK: The answer

    /// Reads a line of the head. Returns whether to continue.
    fileprivate func received(head line: UnsafeRawBufferPointer) -> Bool { reader.read(line: line) }

    /// Reads a part of the body. Returns whether to continue.
    fileprivate func received(body part: UnsafeRawBufferPointer) -> Bool { reader.read(body: part) }

    /// Whether a socket may be made for an address.
    fileprivate func allowsSocket(to address: UnsafePointer<sockaddr>) -> Bool {
        let isAllowed = IPAddress(systemAddress: address) == self.address
        if !isAllowed { wasDiverted = true }
        return isAllowed
    }

    /// Whether the request may be written on a connection to this address and port.
    fileprivate func allowsRequest(to address: String, port: Int) -> Bool {
        let isAllowed = IPAddress(address) == self.address && port == self.port
        if !isAllowed { wasDiverted = true }
        return isAllowed
    }

    func end(_ code: CURLcode) {
        if wasDiverted {
            return end(
                throwing: HTTPFailure(
                    "no answer from \(authority): "
                        + "the connection leads to an address that wasn't checked"))
        }
        if reader.isHeadTooLarge {
            let bytesMax = HTTPAnswer.headBytesMax
            return end(
                throwing: PermanentFailure(
                    "the server's answer has more than \(bytesMax) bytes of headers"))
        }
        guard code == CURLE_OK || reader.answer.isTooLarge else {
            let detail = String(cString: errorText)
            let reason = detail.isEmpty ? meaning(of: code) : detail
            let what =
                reader.hasHead
                ? "the answer of \(authority) broke off" : "no answer from \(authority)"
            return end(throwing: HTTPFailure("\(what): \(reason)"))
        }
        continuation?.resume(returning: reader.answer)
        continuation = nil
    }

    func end(throwing error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }
}

// MARK: The library's calls

/// The transfer of a call of the library, on the queue of its loop.
private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    guard let context else { preconditionFailure("the library calls with what it was given") }
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
}

/// Returns the number of bytes read; fewer than came end the request.
private func curlTookBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context).received(body: part) ? part.count : 0
}

private func curlTookHead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context).received(head: line) ? line.count : 0
}

/// Makes a socket for the checked address. Returns `CURL_SOCKET_BAD` for another one: -1, because
/// Swift doesn't import that macro.
private func curlWantsSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ wanted: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let wanted, let address = grove_curl_address(wanted),
        transfer(context).allowsSocket(to: address)
    else { return -1 }
    let kind = wanted.pointee
    #if canImport(Darwin)
        return socket(kind.family, kind.socktype, kind.protocol)
    #else
        return socket(kind.family, kind.socktype | Int32(SOCK_CLOEXEC.rawValue), kind.protocol)
    #endif
}

/// Called before a request is written, also on a kept connection.
private func curlIsReady(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<CChar>?,
    _ ownAddress: UnsafeMutablePointer<CChar>?, _ port: CInt, _ ownPort: CInt
) -> CInt {
    guard let address,
        transfer(context).allowsRequest(to: String(cString: address), port: Int(port))
    else { return CURL_PREREQFUNC_ABORT }
    return CURL_PREREQFUNC_OK
}
