import Glibc
import Grove

/// A machine in two versions. The first calls the sum `bill`, has no status, and has a timer whose
/// event the second version lacks. `BILL_VERSION` selects the version that the process hosts.
enum Bill {
    static let definition =
        getenv("BILL_VERSION") == nil
        ? Definition(OldBill.self, named: "bill", version: "1")
        : Definition(NewBill.self, named: "bill", version: "2")
}

/// The first version.
enum OldBill: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable { var bill = 0 }
    enum Event: Codable, Sendable { case order(price: Int), wait, ring }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .order(let price): state.bill += price
        case .wait: return .after(.seconds(3_600), id: "bell", .ring)
        case .ring: break
        }
        return nil
    }
}

/// The second version. It reads the states of the first, but not its event `ring`.
enum NewBill: EffectTransducer, InitialState {
    enum Status: String, Codable { case open, paid }
    struct State: NonTerminal, Codable {
        var sum = 0
        var status = Status.open
    }
    enum Event: Codable, Sendable { case order(price: Int), wait, pay }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .order(let price): state.sum += price
        case .wait: return .after(.seconds(3_600), id: "bell", .pay)
        case .pay: state.status = .paid
        }
        return nil
    }

    static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
        guard case .object(var members) = state, let bill = members["bill"] else { return state }
        members["bill"] = nil
        members["sum"] = bill
        return .object(members)
    }
}
