/// A signature of a function or operator.
struct Overload {
    /// The types of the arguments, the target first.
    let parameters: [CELType]
    let result: CELType

    init(_ parameters: [CELType], _ result: CELType) {
        self.parameters = parameters
        self.result = result
    }
}
