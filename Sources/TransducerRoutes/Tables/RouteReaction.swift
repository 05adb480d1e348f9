/// The result of a handler of a table: outputs, events for the machine itself, or both in order.
///
/// Written `.output(.opened)`, `.event(.close)`, or as a list of these, `[.output(.opened),
/// .event(.close)]`; `.none` for nothing.
public enum RouteReaction<Event, Output> {
    /// Nothing.
    case none
    /// Emits an output.
    case output(Output)
    /// Applies an event to the machine within the same external event, after all handlers of this
    /// step.
    case event(Event)
    /// Several of these, in order.
    indirect case several([RouteReaction])

    /// Appends its outputs and events to those of a step.
    @usableFromInline
    func append(outputs: inout [Output], events: inout [Event]) {
        switch self {
        case .none: break
        case .output(let output): outputs.append(output)
        case .event(let event): events.append(event)
        case .several(let reactions):
            for reaction in reactions { reaction.append(outputs: &outputs, events: &events) }
        }
    }
}

extension RouteReaction: ExpressibleByArrayLiteral {
    /// Several reactions, in order.
    public init(arrayLiteral elements: RouteReaction...) { self = .several(elements) }
}

extension RouteReaction: Sendable where Event: Sendable, Output: Sendable {}
extension RouteReaction: Equatable where Event: Equatable, Output: Equatable {}
