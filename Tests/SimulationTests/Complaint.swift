/// A promise that was broken: which, and how.
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ promise: String, _ text: String) { description = "\(promise): \(text)" }
}
