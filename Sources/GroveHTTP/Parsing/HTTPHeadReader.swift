/// Reads the lines of a head, whose bytes and ends of lines were checked for their number.
///
/// What isn't exactly as RFC 9112 writes it is refused: two programs that read a request
/// differently can be played against each other.
struct HTTPHeadReader {
    let bodyBytesMax: Int

    /// The head in these lines, without their ends; the first one is the request line.
    func read(_ lines: [ArraySlice<UInt8>]) throws(HTTPRefusal) -> HTTPRequestHead {
        var head = try requestLine(lines[0])
        head.fields.reserveCapacity(lines.count - 1)
        for line in lines.dropFirst() { head.fields.append(try field(line)) }
        try checkHost(&head)
        try readBody(&head)
        readConnection(&head)
        return head
    }

    // MARK: Request line

    private func requestLine(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPRequestHead {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPBytes.isToken(parts[0]) else {
            throw HTTPRefusal(
                400,
                "a request line is a method, a target and HTTP/1.1, with one space between them")
        }
        let isVersion10 = try version(parts[2])
        let method = HTTPMethod(parts[0])
        guard !parts[1].isEmpty, parts[1].allSatisfy(HTTPBytes.isTarget) else {
            throw HTTPRefusal(400, "a target has no such byte; escape it")
        }
        var target = parts[1]
        var host: [UInt8] = []
        if target.elementsEqual("*".utf8) {
            guard method == .options else { throw HTTPRefusal(400, "* is for OPTIONS") }
        } else if target.first != UInt8(ascii: "/") {
            (host, target) = try absolute(target)
        }
        let question = target.firstIndex(of: UInt8(ascii: "?"))
        return HTTPRequestHead(
            method: method, path: Array(target[..<(question ?? target.endIndex)]),
            query: question.map { Array(target[($0 + 1)...]) }, host: host,
            isVersion10: isVersion10, keepsAlive: !isVersion10, body: .none,
            expectsContinue: false, fields: [])
    }

    private func version(_ text: ArraySlice<UInt8>) throws(HTTPRefusal) -> Bool {
        if text.elementsEqual("HTTP/1.1".utf8) { return false }
        if text.elementsEqual("HTTP/1.0".utf8) { return true }
        let bytes = Array(text)
        let isVersion =
            bytes.count == 8 && bytes.starts(with: "HTTP/".utf8) && HTTPBytes.isDigit(bytes[5])
            && bytes[6] == UInt8(ascii: ".") && HTTPBytes.isDigit(bytes[7])
        throw isVersion
            ? HTTPRefusal(505, "the versions are HTTP/1.1 and HTTP/1.0")
            : HTTPRefusal(400, "a request line ends with HTTP/1.1")
    }

    /// The host and the rest of a target in absolute form.
    private func absolute(
        _ target: ArraySlice<UInt8>
    ) throws(HTTPRefusal) -> ([UInt8], ArraySlice<UInt8>) {
        let lower = target.prefix(8).map(HTTPBytes.lower)
        let count =
            lower.starts(with: "http://".utf8) ? 7 : lower.starts(with: "https://".utf8) ? 8 : 0
        guard count > 0 else { throw HTTPRefusal(400, "a target begins with a slash") }
        let rest = target.dropFirst(count)
        guard
            let slash = rest.firstIndex(where: {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
            }),
            rest[slash] == UInt8(ascii: "/")
        else { throw HTTPRefusal(400, "a target has a path") }
        let host = Array(rest[..<slash])
        guard HTTPBytes.isHost(host) else { throw HTTPRefusal(400, "the target's host is no host") }
        return (host, rest[slash...])
    }

    // MARK: Fields

    /// One field. Its name is followed by a colon at once.
    func field(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw HTTPRefusal(400, "a field has a colon after its name")
        }
        guard HTTPBytes.isToken(line[..<colon]) else {
            throw HTTPRefusal(400, "a field's name has no such byte, and no line is folded")
        }
        var value = line[(colon + 1)...].drop(while: HTTPBytes.isBlank)
        while let last = value.last, HTTPBytes.isBlank(last) { value.removeLast() }
        guard value.allSatisfy(HTTPBytes.isValue) else {
            throw HTTPRefusal(400, "a field's value has no such byte")
        }
        return HTTPField(name: line[..<colon].map(HTTPBytes.lower), value: Array(value))
    }

    private func checkHost(_ head: inout HTTPRequestHead) throws(HTTPRefusal) {
        let hosts = head.all("host")
        guard hosts.count == 1 else {
            throw HTTPRefusal(400, "a request has exactly one Host")
        }
        guard HTTPBytes.isHost(hosts[0].value) else {
            throw HTTPRefusal(400, "Host is a host, with a port if needed")
        }
        guard
            head.host.isEmpty
                || head.host.map(HTTPBytes.lower) == hosts[0].value.map(HTTPBytes.lower)
        else { throw HTTPRefusal(400, "the target's host is another one than Host") }
        head.host = hosts[0].value
    }

    private func readBody(_ head: inout HTTPRequestHead) throws(HTTPRefusal) {
        let lengths = head.all("content-length")
        let codings = head.all("transfer-encoding")
        guard lengths.count + codings.count <= 1 else {
            throw HTTPRefusal(400, "a request has one Content-Length, or one Transfer-Encoding")
        }
        if let coding = codings.first {
            guard !head.isVersion10 else {
                throw HTTPRefusal(400, "HTTP/1.0 has no Transfer-Encoding")
            }
            guard coding.value.map(HTTPBytes.lower).elementsEqual("chunked".utf8) else {
                throw HTTPRefusal(501, "the only coding is chunked")
            }
            head.body = .chunked
        } else if let length = lengths.first {
            guard (1...HTTPLimits.lengthDigitsMax).contains(length.value.count),
                length.value.allSatisfy(HTTPBytes.isDigit),
                let count = Int(String(decoding: length.value, as: UTF8.self))
            else { throw HTTPRefusal(400, "Content-Length is a number of bytes") }
            guard count <= bodyBytesMax else {
                throw HTTPRefusal(413, "a body has at most \(bodyBytesMax) bytes")
            }
            head.body = count == 0 ? .none : .length(count)
        }
        if head.body != .none, [.get, .head, .delete, .options].contains(head.method) {
            throw HTTPRefusal(400, "\(head.method.text) has no body")
        }
        let expectations = head.all("expect")
        guard let expectation = expectations.first else { return }
        guard expectations.count == 1,
            expectation.value.map(HTTPBytes.lower).elementsEqual("100-continue".utf8)
        else { throw HTTPRefusal(417, "the only expectation is 100-continue") }
        head.expectsContinue = !head.isVersion10
    }

    private func readConnection(_ head: inout HTTPRequestHead) {
        if HTTPRequestHead.lists(head.all("connection"), "close") { head.keepsAlive = false }
    }
}
