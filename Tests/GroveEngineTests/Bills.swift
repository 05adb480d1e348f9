import OrderedJSON
import Transducers

// A machine in two versions: the first calls the sum `bill`, and has no status.

/// The first version, with a timer whose event the second one doesn't have.
enum OldBill: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var bill = 0 }
    enum Event: Codable, Sendable { case order(price: Int), wait, ring }
    typealias Output = Int
    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
        switch event {
        case .order(let price): state.bill += price
        case .wait: return (.after(.seconds(60), id: "bell", .ring), state.bill)
        case .ring: break
        }
        return (nil, state.bill)
    }

    static let definition = Definition(OldBill.self, named: "bill", version: "1")
}

/// The second version, which reads the states and the events of the first.
enum NewBill: EffectTransducer, InitialState {
    enum Status: String, Codable, Sendable { case open, paid }
    struct State: NonTerminal, Codable, Sendable {
        var sum = 0
        var status = Status.open
    }
    enum Event: Codable, Sendable { case order(price: Int), wait, call, pay }
    typealias Output = Int
    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
        switch event {
        case .order(let price): state.sum += price
        case .wait: return (.after(.seconds(60), id: "bell", .call), state.sum)
        case .call: break
        case .pay: state.status = .paid
        }
        return (nil, state.sum)
    }

    static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
        guard case .object(var members) = state, let bill = members["bill"] else { return state }
        members["bill"] = nil
        members["sum"] = bill
        return .object(members)
    }

    static func migrate(event: JSONValue) throws -> JSONValue {
        event.string == "ring" ? "call" : event
    }

    static let definition = Definition(NewBill.self, named: "bill", version: "2")
}

/// A second version that doesn't name the first one's states.
enum RashBill: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var sum = 0 }
    typealias Event = NewBill.Event
    typealias Output = Int
    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
        (nil, state.sum)
    }

    static let definition = Definition(RashBill.self, named: "bill", version: "2")
}
