import Testing
import TransducerRoutes

@Suite("Refusals of tables")
struct RouteRefusalTests {
    static let table = StopTable { table in
        table.on(.go, .s0 => .s1, when: .named("paid") { _ in false })
        table.on(.go, .s0 => .s2, when: .named("old") { _ in false })
        table.on(.back, .any => .s0)
        table.on(.jump, .s1 => .s3, when: .passes { _ in false })
    }

    @Test func `a refusal says state, event, why and what would be accepted`() {
        let refusal = Self.table.refusal(of: .jump, from: .s0)
        #expect(
            refusal
                == RouteRefusal(
                    fromState: .s0, event: .jump, toState: nil, reason: .noRoute,
                    accepts: ["go", "back"]))
        #expect(refusal?.description == "no route for jump in s0; accepted: go, back")
    }

    @Test func `a refusal by guards names them in the order in which they were asked`() {
        let refusal = Self.table.refusal(of: .go, from: .s0)
        #expect(refusal?.reason == .guardRefused(["paid", "old"]))
        #expect(refusal?.accepts == ["back"])
        #expect(refusal?.description == "go in s0 was refused by paid, old; accepted: back")
    }

    @Test func `a guard without a name refuses all the same`() {
        let refusal = Self.table.refusal(of: .jump, from: .s1)
        #expect(refusal?.reason == .guardRefused([]))
        #expect(refusal?.description == "jump in s1 was refused; accepted: back")
    }

    @Test func `a refused move says where it should have gone`() {
        var state = Stop.s0
        do {
            _ = try Self.table.move(&state, to: .s3)
            Issue.record("there is no such route")
        } catch {
            #expect(error.event == nil)
            #expect(error.toState == .s3)
            #expect(error.rejection.reason == "no route for s0 => s3")
            #expect(error.rejection.accepts == ["go", "back"])
        }
    }

    @Test func `nothing is accepted without a route`() {
        let table = StopTable { $0.on(.go, .s0 => .s1) }
        #expect(table.refusal(of: .go, from: .s1)?.accepts == [])
        #expect(table.refusal(of: .go, from: .s1)?.description == "no route for go in s1")
    }

    @Test func `names are those of the wire, each of them once`() {
        enum Coin: EventType, Codable {
            case insert(value: Int)
            case press

            enum CodingKeys: String, CodingKey {
                case insert = "INSERT"
                case press = "PRESS"
            }
        }
        let table = RouteTable<Stop, Coin, Never> { table in
            table.on(.insert(value: 5), .s0 => .s1)
            table.on(.insert(value: 10), .s0 => .s2)
            table.on(.press, .s1 => .s0)
        }
        let refusal = table.refusal(of: .press, from: .s0)
        #expect(refusal?.accepts == ["INSERT"])
        #expect(refusal?.description == "no route for PRESS in s0; accepted: INSERT")
        let other = table.refusal(of: .insert(value: 50), from: .s0)
        #expect(other?.rejection.reason == "no route for INSERT(value: 50) in s0")
        #expect(other?.accepts == ["INSERT"])
    }

    @Test func `where all events are known, mappings and any-event routes are accepted too`() {
        let table = StopTable { table in
            table.map { event, state in event == .go && state == .s0 ? .s1 : nil }
            table.on(.any, .s1 => .s2, when: .passes { _ in false })
        }
        #expect(table.refusal(of: .back, from: .s0)?.accepts == ["go"])
        #expect(table.refusal(of: .back, from: .s1)?.accepts == ["go", "jump"])
        #expect(table.acceptedEvents(in: .s1) == [.go, .back, .jump])
        #expect(table.acceptedEvents(in: .s3) == [])
    }

    @Test func `can changes nothing and runs no handler`() {
        let ran = Count()
        let table = StopTable { table in
            table.on(.go, .s0 => .s1) { _ in
                ran.increment()
                return .none
            }
        }
        #expect(table.destination(of: .go, from: .s0) == .s1)
        #expect(table.destination(of: .go, from: .s1) == nil)
        #expect(table.destination(of: .back, from: .s0) == nil)
        #expect(ran.value == 0)
    }

    @Test func `a refusal handler that answers makes the refusal a step that stays`() throws {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1)
            table.refused(order: 200) { _ in nil }
            table.refused { refusal in
                refusal.event == .back ? .output("no: \(refusal.fromState)") : nil
            }
        }
        var state = Stop.s0
        let step = try table.step(&state, event: .back)
        #expect(step.outputs == ["no: s0"])
        #expect(step.fromState == .s0 && step.toState == .s0 && state == .s0)
        #expect(step.refusal?.reason == .noRoute)
        #expect(throws: RouteRefusal<Stop, Call>.self) { try table.step(&state, event: .jump) }
    }

    @Test func `several refusal handlers answer by their order`() throws {
        let table = StopTable { table in
            table.refused { _ in .output("later") }
            table.refused(order: 0) { _ in [.output("first"), .event(.go)] }
        }
        var state = Stop.s0
        let step = try table.step(&state, event: .back)
        #expect(step.outputs == ["first", "later"])
        #expect(step.events == [.go])
    }
}
