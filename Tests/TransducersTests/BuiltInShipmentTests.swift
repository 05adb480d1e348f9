import BuiltInMachines
import Testing
import Transducers

@Suite("Shipment")
struct BuiltInShipmentTests {
    static let events: [Shipment.Event] = [.pack(track: "T-1"), .leave, .deliver, .lose]

    /// The result of one pair of status and event; every other pair is refused.
    static let table: [(Shipment.Status, Shipment.Event, Shipment.Status)] = [
        (.new, .pack(track: "T-1"), .packed),
        (.packed, .leave, .onTheWay),
        (.packed, .lose, .lost),
        (.onTheWay, .deliver, .delivered),
        (.onTheWay, .lose, .lost),
    ]

    static let accepts: [Shipment.Status: [String]] = [
        .new: ["pack"], .packed: ["leave", "lose"], .onTheWay: ["deliver", "lose"],
        .delivered: [], .lost: [],
    ]

    @Test func `begins without a parcel`() {
        #expect(Shipment.initialState.status == .new)
        #expect(Shipment.initialState.track == nil)
    }

    @Test(arguments: Shipment.Status.allCases)
    func `does what the table says, and refuses everything else`(
        status: Shipment.Status
    ) throws {
        for event in Self.events {
            var before = Shipment.initialState
            before.status = status
            var state = before
            guard let row = Self.table.first(where: { $0.0 == status && $0.1 == event }) else {
                let refusal = #expect(throws: Rejection.self) {
                    try Shipment.update(&state, event: event)
                }
                #expect(refusal?.accepts == Self.accepts[status])
                #expect(state == before)
                continue
            }
            #expect(try Shipment.update(&state, event: event) == row.2)
            #expect(state.status == row.2)
            #expect(state.isTerminal == [.delivered, .lost].contains(row.2))
        }
    }

    @Test func `keeps the parcel's number`() throws {
        var state = Shipment.initialState
        for event in [Shipment.Event.pack(track: "T-7"), .leave, .deliver] {
            _ = try Shipment.update(&state, event: event)
        }
        #expect(state.track == "T-7")
    }
}
