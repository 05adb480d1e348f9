/// What the word at the cursor may become.
struct LineCompletion: Equatable {
    /// What was typed of it, without quotes.
    let typed: String
    /// What is missing, as the line has to have it.
    let rest: String
    /// What follows a single completion; `nil` if the word continues, as after `MACHINE/`.
    let end: Character?
}
