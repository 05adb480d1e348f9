import OrderedJSON
import Statecharts
import Transducers

/// The machines that are measured, as charts.
enum Charts {
    /// One state, one transition with a guard and an assignment.
    static let flat = """
        { "id": "flat", "version": "1", "initial": "on", "context": { "count": 0 },
          "states": { "on": { "on": { "add": {
            "guard": "context.count + event.amount <= 1000000000000",
            "assign": { "count": "context.count + event.amount" } } } } } }
        """

    /// Eight parallel regions, all of which an event moves.
    static let regions: String = {
        let regions = (0..<8).map { number in
            """
            "r\(number)": { "initial": "a\(number)", "states": {
              "a\(number)": { "on": { "flip": "b\(number)" } },
              "b\(number)": { "on": { "flip": "a\(number)" } } } }
            """
        }
        return """
            { "id": "regions", "version": "1", "type": "parallel",
              "states": { \(regions.joined(separator: ",")) } }
            """
    }()

    /// States in a ring, through which an event walks.
    static func ring(_ count: Int) -> String {
        let states = (0..<count).map { number in
            """
            "s\(number)": { "on": { "add": {
              "guard": "event.amount > 0", "target": "s\((number + 1) % count)",
              "assign": { "count": "context.count + event.amount" } } } }
            """
        }
        return """
            { "id": "ring-\(count)", "version": "1", "initial": "s0", "context": { "count": 0 },
              "states": { \(states.joined(separator: ",")) } }
            """
    }

    /// A chart as a server hosts it.
    static func definition(_ text: String) throws -> Definition {
        let json = try JSONValue(parsing: Array(text.utf8))
        return try ChartDefinitions(Chart(json), json: json).all[0]
    }
}

/// The flat chart as a Swift type.
enum Flat: Transducer, InitialState {
    struct State: NonTerminal, Codable { var count = 0 }
    struct Event: Codable {
        enum Name: String, Codable { case add }
        var type: Name
        var amount: Int
    }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) {
        guard state.count + event.amount <= 1_000_000_000_000 else { return }
        state.count += event.amount
    }
}

/// The chart of eight regions as a Swift type.
enum Regions: Transducer, InitialState {
    enum Side: String, Codable {
        case a, b
        mutating func flip() { self = self == .a ? .b : .a }
    }
    struct State: NonTerminal, Codable {
        var r0 = Side.a, r1 = Side.a, r2 = Side.a, r3 = Side.a
        var r4 = Side.a, r5 = Side.a, r6 = Side.a, r7 = Side.a
    }
    struct Event: Codable {
        enum Name: String, Codable { case flip }
        var type: Name
    }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) {
        state.r0.flip()
        state.r1.flip()
        state.r2.flip()
        state.r3.flip()
        state.r4.flip()
        state.r5.flip()
        state.r6.flip()
        state.r7.flip()
    }
}
