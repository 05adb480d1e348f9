import GroveEngine
import GroveHTTP
import Testing

@testable import GroveServer

@Suite("Orders of drawings")
struct DrawingDeskTests {
    private func order(_ number: Int, bytes: Int = 0) -> DrawingOrder {
        DrawingOrder(
            machine: Array("machine\(number)".utf8), graph: [UInt8](repeating: 32, count: bytes))
    }

    private func client(_ number: Int) -> ConnectionID { ConnectionID(UInt64(number)) }

    @Test func `one drawing is made at a time, in the order in which they were wanted`() {
        var desk = DrawingDesk()
        #expect(desk.begin() == nil)
        #expect(desk.take(order(1), for: client(1)) == .waits)
        #expect(desk.begin() == order(1))
        #expect(desk.take(order(2), for: client(2)) == .waits)
        #expect(desk.take(order(3), for: client(3)) == .waits)
        #expect(desk.begin() == nil)
        #expect(desk.end(.drawn([1])) == [client(1)])
        #expect(desk.begin() == order(2))
        #expect(desk.end(.refused("too large")) == [client(2)])
        #expect(desk.begin() == order(3))
        #expect(desk.end(.drawn([3])) == [client(3)])
        #expect(desk.begin() == nil)
    }

    @Test func `those who want the same get it from one drawing`() {
        var desk = DrawingDesk()
        #expect(desk.take(order(1), for: client(1)) == .waits)
        #expect(desk.begin() == order(1))
        #expect(desk.take(order(2), for: client(2)) == .waits)
        #expect(desk.take(order(1), for: client(3)) == .waits)
        #expect(desk.take(order(2), for: client(4)) == .waits)
        #expect(desk.waitingCount == 2)
        #expect(desk.end(.drawn([1])) == [client(1), client(3)])
        #expect(desk.begin() == order(2))
        #expect(desk.waitingCount == 0)
        #expect(desk.end(.refused("why")) == [client(2), client(4)])
        // A refusal is kept too.
        #expect(desk.take(order(1), for: client(5)) == .kept(.drawn([1])))
        #expect(desk.take(order(2), for: client(5)) == .kept(.refused("why")))
    }

    @Test func `at most 64 clients wait besides those of the present drawing`() {
        var desk = DrawingDesk()
        #expect(desk.take(order(0), for: client(0)) == .waits)
        #expect(desk.begin() == order(0))
        for number in 1...DrawingDesk.waitingMax {
            #expect(desk.take(order(number), for: client(number)) == .waits)
        }
        #expect(desk.take(order(100), for: client(100)) == .full)
        #expect(desk.take(order(0), for: client(100)) == .waits)
        desk.forget(client(7))
        #expect(desk.take(order(100), for: client(101)) == .waits)
        #expect(desk.take(order(101), for: client(102)) == .full)
    }

    @Test func `a client that is gone gets nothing, and what nobody wants isn't drawn`() {
        var desk = DrawingDesk()
        for number in 1...3 {
            #expect(desk.take(order(number), for: client(number)) == .waits)
        }
        #expect(desk.begin() == order(1))
        desk.forget(client(1))
        desk.forget(client(2))
        #expect(desk.end(.drawn([1])) == [])
        #expect(desk.begin() == order(3))
    }

    @Test func `64 drawings are kept, those that were wanted last`() {
        var desk = DrawingDesk()
        func make(_ number: Int, bytes: Int = 0) {
            #expect(desk.take(order(number, bytes: bytes), for: client(1)) == .waits)
            #expect(desk.begin() != nil)
            #expect(desk.end(.drawn([UInt8(number)])) == [client(1)])
        }
        for number in 1...DrawingDesk.keptMax { make(number) }
        #expect(desk.take(order(1), for: client(1)) == .kept(.drawn([1])))
        make(100)
        #expect(desk.take(order(1), for: client(1)) == .kept(.drawn([1])))
        make(2)
        // Their bytes have a bound, too, and one too large is not kept.
        make(101, bytes: DrawingDesk.keptBytesMax)
        make(101, bytes: DrawingDesk.keptBytesMax)
        let most = DrawingDesk.keptBytesMax / 4
        for number in 102...106 { make(number, bytes: most - 100) }
        #expect(desk.take(order(106, bytes: most - 100), for: client(1)) == .kept(.drawn([106])))
        make(1)
        make(102, bytes: most - 100)
    }

    @Test func `an order becomes an image, or a reason why not`() {
        let nodes = #"[{"id":"s0","kind":"state","label":"<on>"}]"#
        let graph = #"{"nodes":\#(nodes),"edges":[]}"#
        let order = DrawingOrder(machine: Array("a&b".utf8), graph: Array(graph.utf8))
        guard case .drawn(let bytes) = DrawingDesk.draw(order) else {
            Issue.record("it isn't drawn")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("<svg ") && text.contains("<title>a&amp;b</title>"))
        #expect(text.contains(#"data-node="s0""#) && text.contains("&lt;on&gt;"))
        let twice = DrawingOrder(
            machine: [], graph: Array(graph.replacing("}],", with: "},{\"id\":\"s0\"}],").utf8))
        #expect(DrawingDesk.draw(twice) == .refused("two nodes have the id s0"))
    }

    @Test func `a drawing of more than 4 MiB is refused`() {
        // The whole texts are in tooltips.
        let label = String(repeating: "'", count: 1_000)
        func graph(_ count: Int) -> DrawingOrder {
            let nodes = (0..<count).map { #"{"id":"s\#($0)","kind":"state","label":"\#(label)"}"# }
                .joined(separator: ",")
            let edges = (0..<count).map {
                let ends = #""from":"s\#($0)","to":"s\#($0)""#
                return #"{"id":"e\#($0)",\#(ends),"event":"\#(label)","kind":"event"}"#
            }.joined(separator: ",")
            let text = #"{"nodes":[\#(nodes)],"edges":[\#(edges)]}"#
            return DrawingOrder(machine: [], graph: Array(text.utf8))
        }
        guard case .drawn = DrawingDesk.draw(graph(300)),
            case .refused(let why) = DrawingDesk.draw(graph(500))
        else {
            Issue.record("the bound is another one")
            return
        }
        #expect(why.hasSuffix(" bytes; it may have \(DrawingDesk.drawingBytesMax)"))
    }
}
