/// A compiled macro.
struct ComprehensionPlan {
    let macro: Macro
    /// The node of the list, map or optional value.
    let range: Int32
    /// The position of its first variable.
    let local: Int
    /// Whether it has two variables.
    let hasTwo: Bool
    let condition: Int32?
    let result: Int32?
}
