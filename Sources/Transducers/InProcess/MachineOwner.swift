/// The holder of a machine that is driven by calls. The machine holds it weakly: dropping the owner
/// ends the machine.
protocol MachineOwner<Event>: AnyObject, Sendable {
    associatedtype Event: Sendable

    /// The actor that isolated effects run on.
    var effectActor: any Actor { get }

    /// Effects have sent something. Called on any thread.
    func wake()

    /// An action has ended. Called on any thread.
    func actionEnded(_ result: Result<[Event], any Error>)
}
