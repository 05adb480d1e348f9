import BuiltInMachines
import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

/// Whatever clients send while an order is charged, cancelled and refunded: each charge of a
/// cancelled order gets one refund, and no other charge does.
@Suite("Charges and refunds, whatever clients send")
struct OrderRefundTests {
    private static let order = "order/o"
    private static let cancel: JSONValue = ["type": "cancel", "reason": "late"]

    /// The events that clients try, internal ones too. `refunded` isn't internal: with it a client
    /// reports a refund by hand.
    private static let events: [JSONValue] = [
        ["type": "pay", "amount": 1], ["type": "charge", "url": "https://pay"], cancel,
        ["type": "ship", "track": "t"], "charged", "expire", ["type": "parcel", "value": "lost"],
        ["type": "failed", "work": "charge", "reason": "x"],
        ["type": "failed", "work": "refund", "reason": "x"],
    ]

    /// One order, and the provider's view of it.
    private struct Life {
        let bench: EffectBench
        /// Charges that were made, by their keys.
        var charges: Set<String> = []
        /// Requested refunds.
        var refunds: Set<String> = []

        var status: String? {
            get throws {
                try JSONValue(parsing: bench.got(OrderRefundTests.order).state)["status"]?.string
            }
        }

        /// Decodes an event as a connection does, which marks internal ones.
        func send(_ event: JSONValue) throws {
            let name = try #require(InstanceName(OrderRefundTests.order))
            let definition = try #require(
                BuiltInMachines.definitions.first { $0.name == "order" })
            let decoded = try definition.machine.decodeEvent(event)
            let input =
                definition.internalName(of: decoded)
                .map { EventInput.internalOnly(decoded, name: $0) } ?? .decoded(decoded)
            try bench.ask(
                .send(Send(to: name, event: input, eventText: event.serialized())))
        }

        mutating func look() throws {
            try bench.settle()
            for (issue, request) in zip(bench.dispatched, bench.requests)
            where request.contains("/refund") {
                refunds.insert(issue.key)
            }
        }

        mutating func answer() throws {
            guard let issue = bench.dispatched.first, let request = bench.requests.first else {
                return
            }
            if !request.contains("/refund") { charges.insert(issue.key) }
            try bench.answer(200)
        }

        /// One possible occurrence.
        mutating func happen(_ random: inout SeededRandom) throws {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6: try send(OrderRefundTests.events.randomElement(using: &random) ?? "expire")
            case 6, 7: try answer()
            case 8: if !bench.dispatched.isEmpty { try bench.fail("no connection") }
            case 9:
                // The provider declines a charge.
                if let first = bench.requests.first, !first.contains("/refund") {
                    try bench.answer(402)
                }
            case 10: try bench.restart()
            default: try bench.advance(by: .random(in: 0...120_000, using: &random))
            }
            try look()
        }

        /// Completes all running requests with success.
        mutating func finish() throws {
            try bench.advance(by: 600_000)
            try look()
            while !bench.dispatched.isEmpty {
                try answer()
                try look()
            }
        }
    }

    @Test func `one refund for each completed charge, and none for others`() throws {
        var refunded = 0
        for seed in 1...60 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var life = Life(bench: try EffectBench.builtIn())
            try life.send(["type": "place", "total": 30])
            for _ in 1...25 { try life.happen(&random) }
            try life.finish()
            if try ["placed", "paid", "lost"].contains(life.status) { try life.send(Self.cancel) }
            try life.finish()
            let status = try life.status
            let wanted = status == "cancelled" ? life.charges.count : 0
            #expect(life.charges.count <= 1, "seed \(seed)")
            #expect(life.refunds.count == wanted, "seed \(seed), \(status ?? "")")
            #expect(status != "cancelling" && status != "charging", "seed \(seed)")
            refunded += life.refunds.count
        }
        #expect(refunded > 10, "the test meets what it is about")
    }
}
