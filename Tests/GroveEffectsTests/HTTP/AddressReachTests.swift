import GroveNetwork
import Testing

@testable import GroveEffects

@Suite("AddressReach")
struct AddressReachTests {
    private static let premises = [
        "127.0.0.1", "127.255.255.254", "10.0.0.1", "10.255.255.255", "172.16.0.1",
        "172.31.255.255", "192.168.0.1", "fd00:ec2::22", "fd20:ce::253", "100.64.0.1",
        "100.127.255.255", "198.18.0.1",
        "198.19.255.255", "::1", "fc00::1", "fdff::1",
    ]

    private static let nowhere = [
        "0.0.0.0", "0.1.2.3", "169.254.0.1", "169.254.169.254", "192.0.0.1", "192.0.0.192",
        "192.0.2.1", "192.88.99.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255", "100.100.100.200", "::", "::7f00:1",
        "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1",
        "2001::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "fe80::1",
        "febf::1", "fec0::1", "ff02::1", "fd00:ec2::254", "fd00:ec2::23",
        "fd20:ce::254", "168.63.129.16", "4000::1", "1fff::1",
    ]

    private static let world = [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "168.63.129.15", "168.63.129.17",
        "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
        "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888", "2a00::1", "3ffe::1",
    ]

    @Test func `each range has its reach, from its first to its last address`() throws {
        for text in Self.premises {
            let reach = AddressReach(of: try #require(IPAddress(text)))
            guard case .premises = reach else {
                Issue.record("\(text) is \(reach)")
                continue
            }
        }
        for text in Self.nowhere {
            let reach = AddressReach(of: try #require(IPAddress(text)))
            guard case .nowhere = reach else {
                Issue.record("\(text) is \(reach)")
                continue
            }
        }
        for text in Self.world {
            #expect(AddressReach(of: try #require(IPAddress(text))) == .world, "\(text)")
        }
    }
}
