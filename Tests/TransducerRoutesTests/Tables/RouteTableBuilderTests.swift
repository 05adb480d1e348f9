import Testing
import TransducerRoutes

@Suite("Declaring tables")
struct RouteTableBuilderTests {
    typealias Builder = RouteTableBuilder<Stop, Call, String>

    private func error(_ declare: (inout Builder) -> Void) -> RouteTableError? {
        do {
            _ = try StopTable.checked(declare)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a route declared twice is an error that says what to do`() {
        let error = error { table in
            table.on(.go, .s0 => .s1)
            table.on(.go, .s0 => .s1)
        }
        #expect(
            error == .duplicateRoute(event: "go", from: "s0", to: "s1", guardName: nil))
        #expect(
            error?.description == """
                the route go: s0 => s1 is declared twice; remove one, or give it a guard with a \
                name of its own
                """)
    }

    @Test func `a route declared twice under one guard name is an error`() {
        let error = error { table in
            table.on(.any, .any => .s1, when: .named("paid") { _ in true })
            table.on(.any, .any => .s1, when: .named("paid") { _ in false })
        }
        #expect(
            error == .duplicateRoute(event: "any", from: "any", to: "s1", guardName: "paid"))
        #expect(error?.description.contains("any: any => s1 when paid is declared") == true)
    }

    @Test func `a move declared twice is an error`() {
        let error = error { table in
            table.move(.s0 => .s1)
            table.move([.s0, .s2] => .s1)
        }
        #expect(error == .duplicateRoute(event: nil, from: "s0", to: "s1", guardName: nil))
    }

    @Test func `routes that differ in anything are no duplicates`() {
        let error = error { table in
            table.on(.go, .s0 => .s1)
            table.on(.back, .s0 => .s1)
            table.on(.any, .s0 => .s1)
            table.move(.s0 => .s1)
            table.on(.go, .s0 => .s2)
            table.on(.go, .s0 => .s1, when: .named("paid") { _ in true })
            table.on(.go, .s0 => .s1, when: .named("old") { _ in true })
            table.on(.go, .s0 => .s1, when: .passes { _ in true })
            table.on(.go, .s0 => .s1, when: .passes { _ in true })
        }
        #expect(error == nil)
    }

    @Test func `an empty list is an error, because it allows nothing`() {
        #expect(error { $0.on(.go, [] => .s1) } == .noTransition(event: "go"))
        #expect(error { $0.move([Transition<Stop>]()) } == .noTransition(event: nil))
        #expect(
            RouteTableError.noTransition(event: "go").description
                == "a route for go has no transition; name at least one state on both sides of "
                + "the arrow")
    }

    @Test func `of several errors the first is reported`() {
        let error = error { table in
            table.on(.back, [] => .s1)
            table.on(.go, .s0 => .s1)
            table.on(.go, .s0 => .s1)
        }
        #expect(error == .noTransition(event: "back"))
    }

    @Test func `without asking for the error, a duplicate stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = StopTable { table in
                table.on(.go, .s0 => .s1)
                table.on(.go, .s0 => .s1)
            }
        }
    }

    @Test func `a table may be empty`() throws {
        let table = try StopTable.checked { _ in }
        #expect(table.refusal(of: .go, from: .s0)?.reason == .noRoute)
        #expect(table.edges().isEmpty)
    }
}
