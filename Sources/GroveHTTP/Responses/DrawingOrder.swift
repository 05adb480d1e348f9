/// What a drawing shows: equal orders have equal drawings.
package struct DrawingOrder: Hashable, Sendable {
    /// The machine's name, which is the drawing's title.
    package let machine: [UInt8]
    /// Its states and transitions: the member `graph` of the reply to `describe`, JSON.
    package let graph: [UInt8]

    package init(machine: [UInt8], graph: [UInt8]) {
        self.machine = machine
        self.graph = graph
    }
}
