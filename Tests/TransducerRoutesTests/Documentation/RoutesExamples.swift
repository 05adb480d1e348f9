import Testing
import TransducerRoutes

/// The examples of the article on routes.
@Suite("Article: Routes", .timeLimit(.minutes(1)))
struct RoutesExamples {
    enum Gate: RoutedTransducer, InitialState {
        enum State: StateType, NonTerminal, Codable, CaseIterable { case locked, unlocked, broken }
        enum Event: EventType, Codable, CaseIterable { case coin, push, kick, repair }
        enum Sound: Codable { case click, crash }
        typealias Output = [Sound]

        static let routes = RouteTable<State, Event, Sound> { table in
            table.on(.coin, .locked => .unlocked) { _ in .output(.click) }
            table.on(.push, .unlocked => .locked)
            table.on(.kick, .any => .broken) { _ in .output(.crash) }
            table.on(.repair, .broken => .locked)
        }

        static var initialState: State { .locked }
    }

    enum Account: RoutedTransducer {
        enum State: StateType, NonTerminal { case open(balance: Int), closed }
        enum Event: EventType { case deposit(Int), withdraw(Int), close }

        static let routes = RouteTable<State, Event, Never> { table in
            table.on(.close, .open(balance: 0) => .closed)
            table.map("book") { event, state in
                switch (event, state) {
                case (.deposit(let amount), .open(let balance)):
                    .open(balance: balance + amount)
                case (.withdraw(let amount), .open(let balance)) where amount <= balance:
                    .open(balance: balance - amount)
                default: nil
                }
            }
        }
    }

    enum Phase: StateType { case draft, review, final, dropped }

    enum Radio: RoutedTransducer {
        enum Channel: StateType { case news, music }
        enum State: StateType, NonTerminal { case off, on(Channel) }
        enum Event: EventType { case power, next }

        static let channels = RouteTable<Channel, Event, Never> { table in
            table.on(.next, [.news => .music, .music => .news])
        }

        static let routes = RouteTable<State, Event, Never> { table in
            let on = table.region(
                "on", channels,
                extract: { if case .on(let channel) = $0 { channel } else { nil } },
                embed: State.on)
            table.on(.power, .off => .on(.news))
            table.on(.power, leaving: on, to: .off)
        }
    }

    enum Digit: StateType { case one, two, three }

    enum Alarm: RoutedTransducer {
        enum State: StateType, NonTerminal { case calm, ringing }
        enum Event: EventType { case smoke, quiet }

        static let routes = RouteTable<State, Event, Never> { table in
            table.on(.smoke, .calm => .ringing)
            table.on(.quiet, .ringing => .calm)
        }

        static func effect(of step: RouteStep<State, Event, Never>) -> Effect? {
            step.toState == .ringing
                ? .after(.seconds(30), id: "bell", .quiet) : .cancel(id: "bell")
        }
    }

    enum Light: StateType { case red, green, yellow }

    @Test func `a gate opens with an output`() throws {
        var state = Gate.initialState
        #expect(try Gate.update(&state, event: .coin).1 == [.click])
        #expect(try Gate.update(&state, event: .push).1 == [])
        #expect(try Gate.update(&state, event: .kick).1 == [.crash])
        #expect(state == .broken)
    }

    @Test func `a refusal names accepted events`() throws {
        var gate = Gate.State.locked
        do {
            _ = try Gate.update(&gate, event: .push)
        } catch let refusal as Rejection {
            print(refusal.reason, refusal.accepts)
        }
        #expect(throws: Rejection("no route for push in locked", accepts: ["coin", "kick"])) {
            try Gate.update(&gate, event: .push)
        }
    }

    @Test func `a guard's name stands in the refusal`() throws {
        let isOpen = false
        let daytime = RouteTable<Gate.State, Gate.Event, Int> { table in
            table.on(.coin, .locked => .unlocked, when: .named("open hours") { _ in isOpen })
            table.on(.push, .unlocked => .locked)
        }
        var state = Gate.State.locked
        let refusal = #expect(throws: RouteRefusal<Gate.State, Gate.Event>.self) {
            try daytime.step(&state, event: .coin)
        }
        #expect(refusal?.rejection.reason == "coin in locked was refused by open hours")
    }

    @Test func `a mapping computes with values`() throws {
        var state = Account.State.open(balance: 5)
        _ = try Account.update(&state, event: .deposit(5))
        #expect(throws: Rejection.self) { try Account.update(&state, event: .withdraw(11)) }
        #expect(throws: Rejection.self) { try Account.update(&state, event: .close) }
        _ = try Account.update(&state, event: .withdraw(10))
        _ = try Account.update(&state, event: .close)
        #expect(state == .closed)
    }

    @Test func `handlers run by their order`() throws {
        let noisy = RouteTable<Gate.State, Gate.Event, String> { table in
            table.on(.coin, .locked => .unlocked) { _ in .output("coin") }
            table.entry(.unlocked, order: 10) { _ in .output("welcome") }
            table.exit(.locked) { _ in [.output("click"), .event(.push)] }
            table.on(.push, .unlocked => .locked) { _ in .output("bye") }
        }
        var state = Gate.State.locked
        let steps = try noisy.run(&state, event: .coin)
        #expect(steps.map(\.outputs) == [["welcome", "coin", "click"], ["bye"]])
        #expect(state == .locked)
    }

    @Test func `a move to a state is requested`() throws {
        let phases = RouteTable<Phase, NoEvent, String> { table in
            table.move(.draft => [.review, .dropped])
            table.move(.review => .final) { _ in .output("published") }
        }
        var phase = Phase.draft
        _ = try phases.move(&phase, to: .review)
        let step = try phases.move(&phase, to: .final)
        #expect(step.outputs == ["published"] && phase == .final)
        #expect(!phases.canMove(from: .final, to: .dropped))
    }

    @Test func `a region applies its events`() throws {
        var state = Radio.State.off
        for event in [Radio.Event.power, .next] { _ = try Radio.update(&state, event: event) }
        #expect(state == .on(.music))
        _ = try Radio.update(&state, event: .power)
        #expect(state == .off)
    }

    @Test func `a chain is completed`() {
        var watcher = ChainWatcher(Digit.one => .two => .three)
        let outcomes = [
            watcher.observe(from: .one, to: .two),
            watcher.observe(from: .two, to: .three),
        ]
        #expect(outcomes == [.advanced, .completed])
    }

    @Test func `a table is queried, drawn and checked`() {
        let destination = Gate.routes.destination(of: .coin, from: .locked)
        let accepted = Gate.routes.acceptedEvents(in: .broken)
        let drawing = Gate.routes.diagram(initial: .locked).mermaid
        let analysis = Gate.routes.analysis(from: [.locked])
        #expect(destination == .unlocked && accepted == [.kick, .repair])
        #expect(drawing.hasPrefix("stateDiagram-v2\n"))
        #expect(analysis.deadEnds.isEmpty && analysis.unreachable.isEmpty)
        #expect(analysis.unhandled.count == 6)
    }

    @Test func `a table's machine asks for effects`() throws {
        let driver = SynchronousDriver(of: Alarm.self, initialState: .calm)
        try driver.send(.smoke)
        try driver.send(.quiet)
        #expect(driver.state == .calm)
    }

    @Test func `a machine is an object`() {
        let light = StateMachine<Light, NoEvent>(state: .red) { machine in
            machine.addRoute(.red => .green)
            machine.addRoute(.green => .yellow)
            machine.addRoute(.yellow => .red)
        }
        let handler = light.addHandler(.any => .green) { context in
            print("go, after \(context.fromState)")
        }
        light <- .green <- .yellow <- .red
        handler.dispose()
        light <- .green
        #expect(light.state == .green && handler.disposed)
    }
}
