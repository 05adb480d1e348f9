import BuiltInMachines
import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

@testable import GroveProtocol

/// One connection's machine, played without sockets; the engine's answers are given by hand or
/// by a real engine over memory.
final class Conversation {
    static let log = LogID(high: 0, low: 0)
    /// The beginning of cursors of ``log``.
    static let zero = String(repeating: "A", count: 22)

    var context: ProtocolContext
    var machine: ConnectionMachine
    /// Requests taken and not answered here.
    var requests: [Request] = []

    init(_ change: (inout ServerLimits) -> Void = { _ in }, greets: Bool = false) throws {
        var limits = ServerLimits()
        change(&limits)
        context = ProtocolContext(
            catalogue: try Catalogue(BuiltInMachines.definitions), log: Self.log, node: "n-1",
            limits: limits, now: Moment(uptime: 1_000, time: Timestamp(milliseconds: 0)))
        machine = ConnectionMachine(id: ConnectionID(81), context: context)
        if greets { machine.greet(using: &context) }
    }

    // What a test expects of a value that can't be copied is asked of its owner.

    var shouldClose: Bool { machine.shouldClose }

    var wantsInput: Bool { machine.wantsInput(context.limits) }

    var canResume: Bool { machine.canResume(context.limits) }

    var isOverShare: Bool { machine.isOverShare(context) }

    var use: PrincipalUse? { machine.use }

    var isUnknown: Bool { machine.isUnknown }

    var mustSayWho: Bool { machine.mustSayWho }

    var isHeldByQuota: Bool { machine.isHeldByQuota }

    var waitsForQuota: Bool { machine.waitsForQuota }

    var hasBacklog: Bool { machine.hasBacklog }

    /// Sends text as one read, and returns the lines that come back at once.
    @discardableResult
    func send(_ text: String) -> [String] {
        receive(text)
        return lines()
    }

    /// Sends text as one read; what comes back stays in the machine.
    func receive(_ text: String) { receive(Array(text.utf8)) }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes {
            machine.receive($0, into: &requests, using: &context)
        }
    }

    /// Publishes what was prepared last to the subscription `s`.
    func publish(_ weight: Int, to name: String = "s") {
        let recipient = Publication.Recipient(
            connection: machine.id, subscription: SubscriptionName(Array(name.utf8)))
        machine.publish(to: recipient, weight: weight, using: &context)
    }

    /// Answers the oldest taken request, and returns the lines that come back.
    @discardableResult
    func answer(_ reply: Reply = .done, at index: Int = 0) -> [String] {
        let request = requests.remove(at: index)
        machine.deliver(reply, to: request.token, using: &context)
        return lines()
    }

    func resume() -> [String] {
        machine.resume(into: &requests, using: &context)
        return lines()
    }

    /// Lets time pass, and looks at the clock.
    @discardableResult
    func wait(_ milliseconds: Int64) -> [String] {
        context.now.uptime += milliseconds
        machine.tick(using: &context)
        return lines()
    }

    /// Takes what waits to be sent, as a client that reads at once.
    func lines() -> [String] {
        var bytes: [UInt8] = []
        machine.outbound.send {
            bytes = Array($0)
            return $0.count
        }
        machine.recordProgress(using: &context)
        var lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        return lines.map(String.init)
    }
}

extension String {
    /// The code of the error in this line.
    var code: String? { error?["code"]?.string }

    /// The place that the error in this line is about.
    var place: JSONValue? { error?["data"]?["at"] }

    /// A line that is no JSON has no error either; the test that asks for one says so.
    private var error: JSONValue? {
        (try? JSONValue(parsing: Array(utf8)))?["error"]
    }
}
