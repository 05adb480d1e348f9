/// The owner of a machine that is driven by calls. The machine holds it weakly: the owner's
/// deallocation ends the machine.
protocol MachineOwner<Event>: AnyObject, Sendable {
    associatedtype Event: Sendable

    /// The actor that isolated effects run on.
    var effectActor: any Actor { get }

    /// Called, on any thread, when effects have sent something.
    func wake()

    /// Called, on any thread, when an action has ended.
    func actionEnded(_ result: Result<[Event], any Error>)
}
