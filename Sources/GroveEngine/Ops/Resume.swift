extension Engine {
    /// `resume`: ends any hold; does nothing without one.
    mutating func resume(_ subject: HoldSubject, in turn: Turn) -> Reply {
        do throws(Failure) {
            guard holds[subject] != nil else {
                let version = try holdable(subject, isBeginning: false, in: turn)
                return .held(version: version, changed: false, cursor: Cursor(sequence: head))
            }
            let version = release(subject, in: turn)
            return .held(version: version, changed: true, cursor: Cursor(sequence: head))
        } catch {
            return .failure(error)
        }
    }
}
