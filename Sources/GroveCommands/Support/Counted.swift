/// A count with its noun, whose plural ends in `s`: `1 line`, `2 lines`.
func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}
