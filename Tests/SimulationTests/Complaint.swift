/// A broken promise: its name, and the evidence.
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ promise: String, _ text: String) { description = "\(promise): \(text)" }
}
