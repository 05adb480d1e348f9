/// A broken promise: its number and a description.
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ promise: String, _ text: String) { description = "\(promise): \(text)" }
}
