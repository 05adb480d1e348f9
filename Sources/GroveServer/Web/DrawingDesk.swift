import Diagrams
import GroveEngine
import GroveHTTP
import OrderedJSON

/// Who waits for which drawing: one is made at a time, by another thread, and some are kept.
/// Confined to the io queue, but for ``draw(_:)``.
struct DrawingDesk {
    /// What a client who wants a drawing gets.
    enum Answer: Equatable {
        /// The drawing, at once.
        case kept(DrawingOutcome)
        /// The drawing, later.
        case waits
        /// Nothing, because too many wait.
        case full
    }

    private struct Kept {
        let outcome: DrawingOutcome
        var lastUse: Int
    }

    /// Whether the clients are closed once they have their drawings.
    var isClosing = false
    private var waiting: [(order: DrawingOrder, client: ConnectionID)] = []
    /// The order that is being drawn, and who wants it.
    private var present: (order: DrawingOrder, clients: [ConnectionID])?
    private var kept: [DrawingOrder: Kept] = [:]
    private var keptBytes = 0
    private var uses = 0

    /// The number of clients whose drawings haven't begun.
    var waitingCount: Int { waiting.count }

    /// Takes the order of a client.
    mutating func take(_ order: DrawingOrder, for client: ConnectionID) -> Answer {
        uses += 1
        if let outcome = kept[order]?.outcome {
            kept[order]?.lastUse = uses
            return .kept(outcome)
        }
        if present?.order == order {
            present?.clients.append(client)
            return .waits
        }
        guard waiting.count < Self.waitingMax else { return .full }
        waiting.append((order, client))
        return .waits
    }

    /// Forgets a client that is gone.
    mutating func forget(_ client: ConnectionID) {
        waiting.removeAll { $0.client == client }
        present?.clients.removeAll { $0 == client }
    }

    /// Begins the next drawing; `nil` if none is wanted, or one is being made.
    mutating func begin() -> DrawingOrder? {
        guard present == nil, let order = waiting.first?.order else { return nil }
        present = (order, waiting.filter { $0.order == order }.map(\.client))
        waiting.removeAll { $0.order == order }
        return order
    }

    /// Ends the present drawing, and keeps it.
    ///
    /// - Returns: The clients who get it.
    mutating func end(_ outcome: DrawingOutcome) -> [ConnectionID] {
        guard let (order, clients) = present else { return [] }
        present = nil
        keep(outcome, of: order)
        return clients
    }

    private mutating func keep(_ outcome: DrawingOutcome, of order: DrawingOrder) {
        let bytes = Self.bytes(outcome, order)
        guard bytes <= Self.keptBytesMax else { return }
        while kept.count >= Self.keptMax || keptBytes + bytes > Self.keptBytesMax,
            let oldest = kept.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            keptBytes -= Self.bytes(oldest.value.outcome, oldest.key)
            kept[oldest.key] = nil
        }
        uses += 1
        kept[order] = Kept(outcome: outcome, lastUse: uses)
        keptBytes += bytes
    }

    private static func bytes(_ outcome: DrawingOutcome, _ order: DrawingOrder) -> Int {
        let drawing = if case .drawn(let bytes) = outcome { bytes.count } else { 0 }
        return drawing + order.graph.count + order.machine.count
    }

    // MARK: On another thread

    /// Makes a drawing. The same order has the same drawing.
    static func draw(_ order: DrawingOrder) -> DrawingOutcome {
        let graph: JSONValue
        do throws(JSONError) {
            graph = try JSONValue(parsing: order.graph, limits: .stored)
        } catch {
            preconditionFailure("the line protocol writes JSON: \(error)")
        }
        do throws(DiagramRefusal) {
            let graph = DiagramGraph(describing: graph.object ?? JSONObject())
            let diagram = try DiagramLayout.lay(graph)
            let title = String(decoding: order.machine, as: UTF8.self)
            let drawing = DiagramSVG.write(diagram, title: title)
            guard drawing.count <= drawingBytesMax else {
                return .refused(
                    "the drawing has \(drawing.count) bytes; it may have \(drawingBytesMax)")
            }
            return .drawn(drawing)
        } catch {
            return .refused(error.description)
        }
    }
}
