import Testing
import TransducerRoutes

@Suite("Mappings and requests")
struct RouteMappingTests {
    /// A loader. Its state `loading` carries an id.
    enum Loader: StateType { case pending, loading(Int) }
    enum Command: EventType { case load(Int), cancel }

    @Test func `a computed destination sees state and event data`() throws {
        let table = RouteTable<Loader, Command, String> { table in
            table.map("load") { event, state in
                switch (event, state) {
                case (.load(let id), .loading(let present)): present == id ? nil : .loading(id)
                case (.load(let id), .pending): .loading(id)
                case (.cancel, .loading): .pending
                case (.cancel, .pending): nil
                }
            } perform: {
                .output("\($0.fromState) > \($0.toState)")
            }
        }
        var state = Loader.pending
        #expect(try table.step(&state, event: .load(1)).outputs == ["pending > loading(1)"])
        #expect(try table.step(&state, event: .load(2)).outputs == ["loading(1) > loading(2)"])
        #expect(table.refusal(of: .load(2), from: state)?.reason == .noRoute)
        _ = try table.step(&state, event: .cancel)
        #expect(state == .pending)
        #expect(table.refusal(of: .cancel, from: state)?.reason == .noRoute)
    }

    @Test func `a state mapping allows what it computes and nothing else`() {
        let table = RouteTable<Loader, Command, Never> { table in
            table.mapStates { state in
                switch state {
                case .pending: [.loading(1)]
                case .loading(let id): [.loading(id + 10), .loading(id + 100)]
                }
            }
        }
        #expect(table.canMove(from: .pending, to: .loading(1)))
        #expect(!table.canMove(from: .pending, to: .loading(999)))
        #expect(table.canMove(from: .loading(1), to: .loading(11)))
        #expect(table.canMove(from: .loading(11), to: .loading(111)))
        #expect(!table.canMove(from: .loading(11), to: .loading(12)))
    }

    @Test func `the union of two mappings is allowed`() throws {
        let table = StopTable { table in
            table.mapStates("near") {
                $0 == .s0 ? [.s1] : []
            } perform: { _ in
                .output("near")
            }
            table.mapStates("far") {
                $0 == .s0 ? [.s3, .s1] : []
            } perform: { _ in
                .output("far")
            }
        }
        #expect(Stop.allCases.filter { table.canMove(from: .s0, to: $0) } == [.s1, .s3])
        var state = Stop.s0
        #expect(try table.move(&state, to: .s1).outputs == ["near", "far"])
        state = .s0
        #expect(try table.move(&state, to: .s3).outputs == ["far"])
    }

    @Test func `a mapping's handler runs only when its mapping took the event`() throws {
        let table = StopTable { table in
            table.map("a") { event, _ in
                event == .go ? .s1 : nil
            } perform: { _ in
                .output("a")
            }
            table.map("b") { _, _ in
                .s1
            } perform: { _ in
                .output("b")
            }
            table.on(.jump, .any => .s1)
        }
        var state = Stop.s0
        #expect(try table.step(&state, event: .go).outputs == ["a"])
        #expect(try table.step(&state, event: .back).outputs == ["b"])
        #expect(try table.step(&state, event: .jump).outputs == [])
    }

    @Test func `an event that carries a destination asks for it`() throws {
        enum Travel: EventType { case to(Stop), stay }
        let table = RouteTable<Stop, Travel, String> { table in
            table.request("travel") { if case .to(let stop) = $0 { stop } else { nil } }
            table.move(.s0 => [.s1, .s2])
            table.handle(.any => .s2) { _ in .output("arrived") }
            table.on(.to(.s3), .s0 => .s3) { _ in .output("by route") }
        }
        #expect(table.go(.to(.s1), from: .s0) == .s1)
        var state = Stop.s0
        #expect(try table.step(&state, event: .to(.s2)).outputs == ["arrived"])
        #expect(table.go(.to(.s1), from: .s2) == nil)
        #expect(table.go(.stay, from: .s0) == nil)
        state = .s0
        #expect(try table.step(&state, event: .to(.s3)).outputs == ["by route"])
    }

    @Test func `a mapping after requests is still called`() {
        let table = StopTable { table in
            table.request { $0 == .go ? .s3 : nil }
            table.map { event, _ in event == .jump ? nil : .s2 }
        }
        #expect(table.go(.go, from: .s0) == .s2)
        #expect(table.go(.back, from: .s0) == .s2)
        #expect(table.go(.jump, from: .s0) == nil)
    }
}
