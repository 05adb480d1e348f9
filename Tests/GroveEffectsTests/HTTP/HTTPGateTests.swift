import GroveNetwork
import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

@Suite("HTTP handler: where requests may go", .timeLimit(.minutes(5)))
struct HTTPGateTests {
    @Test func `by default nothing is allowed`() async {
        let resolver = ListResolver([["1.1.1.1"]])
        let handler = HTTPHandler.make(options: HTTPOptions(), resolve: resolver.resolve)
        #expect(
            await handler.get("https://api.example.com/").failure
                == "for good: api.example.com isn't allowed: configure http-allow with it")
        #expect(resolver.names.isEmpty)
    }

    @Test func `a host that isn't on the list isn't even looked up`() async {
        let resolver = ListResolver([["1.1.1.1"]])
        let options = HTTPOptions(allowedHosts: ["api.example.com", "*.example.org:8443"])
        let handler = HTTPHandler.make(options: options, resolve: resolver.resolve)
        for host in ["example.com", "api.example.com:8443", "a.example.org", "1.1.1.1", "[::1]"] {
            #expect(
                await handler.get("https://\(host)/").failure
                    == "for good: \(host) isn't allowed: configure http-allow with it")
        }
        #expect(resolver.names.isEmpty)
    }

    @Test func `http is refused unless it is allowed`() async {
        let handler = HTTPHandler.make(options: HTTPOptions(allowedHosts: ["a.test"]))
        #expect(
            await handler.get("http://a.test/").failure
                == "for good: http isn't allowed to a.test: use https, or "
                + "configure http-plaintext")
    }

    /// Spellings of this computer's address: for resolvers, for lenient address parsers, for
    /// parsers that decode first, and for address translation.
    static let loopback = [
        "127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "0x7f.1", "0x7F.0.0.1",
        "0x7f000001", "0177.0.0.1", "017700000001", "127.0.0.01", "00127.0.0.1", "127.0.0.1.",
        "0", "0.0.0.0", "localhost", "LOCALHOST", "localhost.", "[::1]", "[0:0:0:0:0:0:0:1]",
        "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]", "[::1%25lo]", "%31%32%37.0.0.1", "①②⑦.0.0.1", "127。0。0。1",
        "a.test@127.0.0.1", "127.0.0.1%00.a.test", "127.0.0.1#.a.test", "127.0.0.1\\.a.test",
        "name.test", "mixed.test", "[fe80::1]", "169.254.169.254",
    ]

    @Test(arguments: loopback)
    func `this machine is refused in every spelling`(host: String) async throws {
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            // Every spelling that a list can contain is on the list. Only private addresses aren't
            // allowed.
            var options = HTTPOptions()
            options.allowPlaintext = true
            for pattern in [host, "*.a.test", "a.test"] {
                options.allowedHosts += [HostPattern("\(pattern):\(server.port)")].compactMap { $0 }
            }
            let handler = HTTPHandler.make(options: options) { host in
                switch host {
                case "name.test": [IPAddress(127, 0, 0, 1)]
                case "mixed.test": [IPAddress(1, 1, 1, 1), IPAddress(127, 0, 0, 1)]
                default: try await NameLookups.systemAddresses(of: host)
                }
            }
            let failure = await handler.get("http://\(host):\(server.port)/").failure
            #expect(failure.hasPrefix("for good: "), "\(failure)")
            #expect(server.record.connections == 0)
        }
    }

    @Test func `private addresses can be allowed in total or per host, others never`()
        async throws
    {
        func failure(_ options: HTTPOptions, _ address: String) async -> String {
            let resolver = ListResolver([[address]])
            let gate = HTTPGate(options: options, resolve: resolver.resolve)
            do {
                return try await gate.admit(HTTPURL("https://a.test/"), attempt: 1)
                    .description
            } catch {
                return String(describing: error)
            }
        }
        var all = HTTPOptions(allowedHosts: ["a.test"])
        #expect(
            await failure(all, "10.0.0.1")
                == "a.test is at 10.0.0.1, a private address: "
                + "configure http-allow-private with the host")
        all.allowPrivateAddresses = true
        var one = HTTPOptions(allowedHosts: ["*.test"])
        #expect(await failure(one, "10.0.0.1").contains("a private address"))
        one.allowedHosts += [try #require(HostPattern("a.test", allowsPrivateAddresses: true))]
        for options in [all, one] {
            for address in ["10.0.0.1", "127.0.0.1", "::1", "fd00::1", "1.1.1.1"] {
                #expect(await failure(options, address) == address)
            }
            for address in [
                "169.254.169.254", "0.0.0.0", "::ffff:127.0.0.1", "224.0.0.1", "fe80::1",
            ] {
                #expect(await failure(options, address).hasSuffix(", which is never called"))
            }
        }
    }

    @Test func `one forbidden address among many is enough to refuse the name`() async {
        let resolver = ListResolver([["1.1.1.1", "2606:4700::1111", "192.168.0.1", "1.0.0.1"]])
        let options = HTTPOptions(allowedHosts: ["a.test"])
        let handler = HTTPHandler.make(options: options, resolve: resolver.resolve)
        let failure = await handler.get("https://a.test/").failure
        #expect(failure.hasPrefix("for good: a.test is at 192.168.0.1, a private address"))
    }

    @Test func `a name that changes its address is refused the second time`() async throws {
        let resolver = ListResolver([["1.1.1.1"], ["127.0.0.1"]])
        let gate = HTTPGate(
            options: HTTPOptions(allowedHosts: ["a.test"]), resolve: resolver.resolve)
        let url = try HTTPURL("https://a.test/")
        #expect(try await gate.admit(url, attempt: 1) == IPAddress(1, 1, 1, 1))
        await #expect(throws: PermanentFailure.self) { try await gate.admit(url, attempt: 1) }
    }

    @Test func `attempts use the addresses of a name in turns`() async throws {
        let resolver = ListResolver([["1.1.1.1", "1.0.0.1"]])
        let gate = HTTPGate(
            options: HTTPOptions(allowedHosts: ["a.test"]), resolve: resolver.resolve)
        var taken: [String] = []
        for attempt in 1...3 {
            let address = try await gate.admit(HTTPURL("https://a.test/"), attempt: attempt)
            taken.append(address.description)
        }
        #expect(taken == ["1.1.1.1", "1.0.0.1", "1.1.1.1"])
    }

    @Test func `a name without an address is a failed attempt`() async {
        let handler = HTTPHandler.make(options: .toward("a.test")) { _ in [] }
        #expect(await handler.get("http://a.test/").failure == "a.test has no address")
    }

    @Test func `the system's resolver knows this machine, and refuses invalid names`()
        async throws
    {
        let addresses = try await NameLookups.systemAddresses(of: "localhost")
        #expect(!addresses.isEmpty)
        for address in addresses {
            #expect(AddressReach(of: address) == .premises("a loopback address"))
        }
        await #expect(throws: HostLookup.Failure.self) {
            try await NameLookups.systemAddresses(of: "a..b")
        }
    }
}
