/// The scope of the effects of a part's last step: no machine is left to cancel them or to handle
/// their failure.
struct EndedScope: Hashable, Sendable, CustomStringConvertible {
    let part: AnyKey

    var description: String { "\(part) (ended)" }
}
