public import Transducers

/// A parcel from the packer to the door. Delivered and lost ones are done, and that is their
/// result: an ``Order`` starts one as its child and learns from it how the parcel ended.
public enum Shipment: Transducer, InitialState {
    /// Where a parcel is.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// Nowhere yet.
        case new
        /// Ready for the carrier.
        case packed
        /// With the carrier.
        case onTheWay = "on_the_way"
        /// At its address: done.
        case delivered
        /// Nobody knows: done.
        case lost

        /// The events that a parcel in this status takes.
        var accepts: [String] {
            switch self {
            case .new: ["pack"]
            case .packed: ["leave", "lose"]
            case .onTheWay: ["deliver", "lose"]
            case .delivered, .lost: []
            }
        }
    }

    /// What is known of a parcel.
    public struct State: Terminable, Codable, Equatable, Sendable {
        /// Where it is.
        public var status: Status = .new
        /// Its number, once packed.
        public var track: String?

        /// A parcel that isn't packed.
        public init() {}

        /// Whether it was delivered or lost.
        public var isTerminal: Bool { status == .delivered || status == .lost }
    }

    /// What can happen to a parcel.
    public enum Event: Codable, Equatable, Sendable {
        /// It is packed and gets its number.
        case pack(track: String)
        /// The carrier takes it.
        case leave
        /// The carrier hands it over.
        case deliver
        /// The carrier can't find it.
        case lose

        var name: String {
            switch self {
            case .pack: "pack"
            case .leave: "leave"
            case .deliver: "deliver"
            case .lose: "lose"
            }
        }
    }

    /// Where it is after the step.
    public typealias Output = Status

    /// Nothing packed.
    public static var initialState: State { State() }

    /// Takes the parcel one event further.
    ///
    /// - Throws: `Rejection` for an event that the status doesn't take.
    public static func update(_ state: inout State, event: Event) throws -> Status {
        switch (state.status, event) {
        case (.new, .pack(let track)):
            state.status = .packed
            state.track = track
        case (.packed, .leave): state.status = .onTheWay
        case (.onTheWay, .deliver): state.status = .delivered
        case (.packed, .lose), (.onTheWay, .lose): state.status = .lost
        default:
            throw Rejection(
                "a parcel that is \(state.status.rawValue) doesn't take \(event.name)",
                accepts: state.status.accepts)
        }
        return state.status
    }
}
