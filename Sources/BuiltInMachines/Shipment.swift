public import Transducers

/// A parcel from packing to delivery. Delivered and lost parcels are done, and their status is the
/// result: an ``Order`` starts a shipment as its child and receives that result.
public enum Shipment: Transducer, InitialState {
    /// The status of a parcel.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// Not packed yet.
        case new
        /// Ready for the carrier.
        case packed
        /// With the carrier.
        case onTheWay = "on_the_way"
        /// At its address: done.
        case delivered
        /// Lost: done.
        case lost

        /// The events that a parcel in this status accepts.
        var accepts: [String] {
            switch self {
            case .new: ["pack"]
            case .packed: ["leave", "lose"]
            case .onTheWay: ["deliver", "lose"]
            case .delivered, .lost: []
            }
        }
    }

    /// The state of a parcel.
    public struct State: Terminable, Codable, Equatable, Sendable {
        /// The status.
        public var status: Status = .new
        /// Its number, after packing.
        public var track: String?

        /// A parcel that isn't packed.
        public init() {}

        /// Whether it was delivered or lost.
        public var isTerminal: Bool { status == .delivered || status == .lost }
    }

    /// The events of a parcel.
    public enum Event: Codable, Equatable, Sendable {
        /// It is packed and gets its number.
        case pack(track: String)
        /// The carrier receives it.
        case leave
        /// The carrier delivers it.
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

    /// The status after the step.
    public typealias Output = Status

    /// A parcel that isn't packed.
    public static var initialState: State { State() }

    /// Applies one event.
    ///
    /// - Throws: `Rejection` for an event that the status doesn't accept.
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
