import Foundation
import GroveTestSupport
import OrderedJSON

/// Clients of a server that is killed repeatedly. Meanwhile orders are charged over HTTP, refunded
/// and shipped by children, and clocks tick and send their ticks to counters.
struct EffectWorkload {
    /// The maximum number of jobs in one burst.
    private static let burstMax = 48
    /// The maximum number of orders in progress. New ones are created when others end.
    private static let ordersUnderWayMax = 160

    /// Events whose ack was read, with the acknowledged version.
    private(set) var acknowledged: [Workload.Sent: Int64] = [:]
    /// Events that were sent, with any outcome.
    private(set) var sent: Set<Workload.Sent> = []
    private var clocks: [EffectJob] = []
    private var orders: [EffectJob] = []
    private var ordersMade = 0
    private var turn = 0
    private let url: String
    private var random: SeededRandom

    /// Creates a workload with a number of clocks. Every second clock sends its ticks to a counter
    /// that it shares with others.
    ///
    /// - Parameter url: The URL at which orders are charged.
    init(seed: UInt64, clocks count: Int, url: String) {
        self.url = url
        random = SeededRandom(seed: seed)
        for index in 0..<count {
            var clock = EffectJob(instance: "periodic/p-\(index)")
            clock.add(start(index))
            clocks.append(clock)
        }
    }

    private mutating func start(_ index: Int) -> String {
        let interval = Int.random(in: 20...250, using: &random)
        let target =
            index % 2 == 0 ? "" : #","to":"counter/c-\#(index % 16)","event":"increment""#
        return #"{"type":"start","every_ms":\#(interval)\#(target)}"#
    }

    // MARK: With kills

    /// Sends events until the server has ended. Creates at most a given number of new orders.
    mutating func run(port: UInt16, newOrders: Int) throws {
        var left = newOrders
        do {
            let client = try LineClient(port: port)
            while true {
                while left > 0, orders.count < Self.ordersUnderWayMax {
                    makeOrder()
                    left -= 1
                }
                changeAClock()
                if try !burst(client) { try pause(client) }
            }
        } catch is TestProblem {
            // The server is gone: unanswered events are sent again under their keys.
        }
    }

    private mutating func makeOrder() {
        let way = EffectJob.Way.allCases[ordersMade % EffectJob.Way.allCases.count]
        let mark = way == .declined ? PaymentServer.declinedMark + "-" : ""
        orders.append(
            EffectJob(
                order: "\(mark)o-\(ordersMade)", way: way,
                total: Int.random(in: 1...9_999, using: &random), url: url))
        ordersMade += 1
    }

    /// Sometimes restarts a clock with another interval, sometimes after a stop. A single clock
    /// isn't changed, so that the clients have nothing to send.
    private mutating func changeAClock() {
        guard clocks.count > 1 else { return }
        let index = Int.random(in: 0..<clocks.count, using: &random)
        guard clocks[index].isDone, Int.random(in: 0..<20, using: &random) == 0 else { return }
        if Bool.random(using: &random) { clocks[index].add(#""stop""#) }
        clocks[index].add(start(index))
    }

    /// Sends one pipelined request for each of some jobs, and reads their answers.
    ///
    /// - Returns: Whether any job made progress.
    private mutating func burst(_ client: LineClient) throws -> Bool {
        orders.removeAll(where: \.isDone)
        var jobs = clocks.indices.filter { !clocks[$0].isDone }
        let room = min(orders.count, max(0, Self.burstMax - jobs.count))
        // Orders are numbered after the clocks.
        jobs += (0..<room).map { clocks.count + (turn + $0) % orders.count }
        turn += room
        guard !jobs.isEmpty else { return false }
        var lines: [String] = []
        for number in jobs {
            if let sending = self[number].sending { sent.insert(sending) }
            lines.append(self[number].request(id: number))
        }
        try client.send(lines.joined(separator: "\n"))
        var isFurther = false
        for _ in jobs {
            let reply = try answer(client)
            guard let number = reply["id"]?.integer.map({ Int($0) }) else {
                throw CheckFailure("a request was answered \(reply)")
            }
            if let sending = self[number].sending, let version = reply["v"]?.integer {
                try note(version, of: sending)
            }
            if try self[number].take(reply) { isFurther = true }
        }
        return isFurther
    }

    /// Returns the next answer; skips the server's own messages.
    private func answer(_ client: LineClient) throws -> JSONValue {
        while true {
            let line = try JSONValue(parsing: Array(client.readLine().utf8))
            if line["op"] == nil { return line }
        }
    }

    private subscript(number: Int) -> EffectJob {
        get { number < clocks.count ? clocks[number] : orders[number - clocks.count] }
        set {
            if number < clocks.count {
                clocks[number] = newValue
            } else {
                orders[number - clocks.count] = newValue
            }
        }
    }

    private mutating func note(_ version: Int64, of sending: Workload.Sent) throws {
        if let before = acknowledged.updateValue(version, forKey: sending), before != version {
            throw CheckFailure(
                "\(sending.key) was acknowledged as version \(before) and as \(version)")
        }
    }

    /// Waits for a moment, because no job can continue before the server has worked.
    ///
    /// - Throws: `TestProblem` if the server is gone.
    private func pause(_ client: LineClient) throws {
        let line: String?
        do {
            line = try client.readLineIfAny(milliseconds: 5)
        } catch {
            // Nothing came, as expected.
            return
        }
        // A line that comes now is the server's own message.
        guard line != nil else { throw TestProblem("the server closed the connection") }
    }

    // MARK: To completion

    /// Continues without kills until every job has ended, every clock has ticked in this server and
    /// is stopped, and no effect is running.
    ///
    /// - Throws: `CheckFailure` with the name of what doesn't end.
    mutating func settle(port: UInt16) throws {
        let client = try LineClient(port: port)
        let began = Date()
        func checkTime(_ waiting: @autoclosure () -> String) throws {
            guard Date().timeIntervalSince(began) < 60 else {
                throw CheckFailure("the server did not come to rest: \(waiting())")
            }
        }
        try waitForTicks(client, checkTime)
        for index in clocks.indices { clocks[index].add(#""stop""#) }
        while !(orders + clocks).allSatisfy(\.isDone) {
            if try !burst(client) { try pause(client) }
            try checkTime(
                "jobs \((orders + clocks).filter { !$0.isDone }.map(\.instance).prefix(5))")
        }
        while let row = try client.effectUnderWay() ?? client.orderUnderWay() {
            try pause(client)
            try checkTime("\(row)")
        }
    }

    /// Waits until every clock has ticked twice more: once for the tick that was due, and once for
    /// a tick requested in this server.
    private mutating func waitForTicks(
        _ client: LineClient, _ checkTime: (@autoclosure () -> String) throws -> Void
    ) throws {
        while !clocks.allSatisfy(\.isDone) { _ = try burst(client) }
        for clock in clocks {
            let first = try client.versionOfInstance(clock.instance)
            while try client.versionOfInstance(clock.instance) < first + 2 {
                try pause(client)
                try checkTime("\(clock.instance) does not tick any more")
            }
        }
    }
}

extension LineClient {
    /// Sends a request and reads its answer.
    ///
    /// - Throws: `CheckFailure` for a refusal.
    func ask(_ line: String) throws -> JSONValue {
        try send(line)
        let reply = try JSONValue(parsing: Array(readLine().utf8))
        guard reply["ok"] == true else { throw CheckFailure("\(line) was answered \(reply)") }
        return reply
    }

    fileprivate func versionOfInstance(_ name: String) throws -> Int64 {
        let reply = try ask(#"{"op":"get","id":1,"to":"\#(name)"}"#)
        guard let version = reply["v"]?.integer else { throw CheckFailure("no v in \(reply)") }
        return version
    }

    /// Returns an effect that continues without clients. The half hour to pay doesn't count.
    fileprivate func effectUnderWay() throws -> JSONValue? {
        try first(of: #""op":"effects""#) { row in
            row["id"] != "payment"
                && !["child", "completed", "failed"].contains(row["phase"]?.string)
        }
    }

    /// Returns an order that is still changing. Between the steps of undoing no effect is listed.
    fileprivate func orderUnderWay() throws -> JSONValue? {
        try first(of: #""op":"list","machine":"order","done":false"#) { row in
            !["placed", "shipped"].contains(row["state"]?["status"]?.string)
        }
    }

    private func first(
        of request: String, where isMeant: (JSONValue) -> Bool
    ) throws -> JSONValue? {
        var after = ""
        while true {
            let page = try ask(#"{"id":1,"limit":1000,\#(request)\#(after)}"#)
            if let found = page["items"]?.array?.first(where: isMeant) { return found }
            guard let next = page["next"]?.string else { return nil }
            after = #","after":"\#(next)""#
        }
    }
}
