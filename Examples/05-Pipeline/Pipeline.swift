import Transducers

/// Turns characters into tokens.
enum Lexer: Transducer, InitialState {
    struct State: NonTerminal { var digits = "" }
    typealias Event = Character
    typealias Output = [Token]

    enum Token: Sendable { case number(Int), plus, minus, end }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Character) throws -> [Token] {
        if event.isNumber {
            state.digits.append(event)
            return []
        }
        let number = Int(state.digits).map { [Token.number($0)] } ?? []
        state.digits = ""
        switch event {
        case " ": return number
        case "+": return number + [.plus]
        case "-": return number + [.minus]
        case "=": return number + [.end]
        default: throw Rejection("\(event) is no part of a sum")
        }
    }
}

/// Adds up tokens.
enum Calculator: Transducer, InitialState {
    struct State: Terminable {
        var total = 0
        var sign: Int? = 1
        var isTerminal = false
    }
    typealias Event = [Lexer.Token]

    static var initialState: State { State() }

    static func update(_ state: inout State, event: [Lexer.Token]) throws -> Int? {
        for token in event {
            switch (token, state.sign) {
            case (.number(let number), let sign?):
                state.total += sign * number
                state.sign = nil
            case (.plus, nil): state.sign = 1
            case (.minus, nil): state.sign = -1
            case (.end, nil): state.isTerminal = true
            case (.number, nil): throw Rejection("there is no sign before the number")
            case (_, _?): throw Rejection("there is no number before the sign")
            }
        }
        return state.isTerminal ? state.total : nil
    }
}

/// Both as one machine: outputs of the lexer are events of the calculator, in one step.
typealias Sums = Piped<Lexer, Calculator>

@main struct Program {
    static func main() async throws {
        let sums = SynchronousDriver(
            of: Sums.self, initialState: Sums.initialState, env: PairEnv())
        for character in "12 + 30 +- 2 =" {
            do {
                try sums.send(.first(character))
            } catch let refusal as Rejection {
                print("refused \(character): \(refusal.reason)")
            }
        }
        print("in one machine:", sums.state.second.total)

        try await runApart()
    }

    /// The same machines in two runs. The pipe between them lets neither run ahead.
    static func runApart() async throws {
        let characters = Lexer.Proxy()
        let tokens = Calculator.Proxy(bufferSize: 1)
        let lexing = Task {
            try await Lexer.run(
                initialState: Lexer.initialState, proxy: characters, output: Pipe(to: tokens.input))
        }
        let calculating = Task {
            try await Calculator.run(initialState: Calculator.initialState, proxy: tokens)
        }
        for character in "1 + 2 + 3 =" { try await characters.input.enqueue(character) }
        print("in two runs:", try await calculating.value.map { "\($0)" } ?? "nothing")
        characters.cancel()
        do {
            _ = try await lexing.value
        } catch {
            print("the lexer has ended:", error)
        }
    }
}
