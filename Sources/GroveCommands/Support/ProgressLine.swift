import Glibc

/// Shows progress on standard error: on a terminal a bar that moves, elsewhere a line every five
/// seconds.
struct ProgressLine {
    private let title: String
    private let style: Style
    private var lastShown: ContinuousClock.Instant
    private var isOnLine = false

    init(_ title: String, _ style: Style) {
        self.title = title
        self.style = style
        lastShown = .now
    }

    /// Shows the progress, unless it was shown a moment ago.
    ///
    /// - Parameter all: The total; `nil` if it isn't known.
    mutating func show(_ done: Int64, of all: Int64?) {
        let now = ContinuousClock.now
        guard now - lastShown >= (style.isTerminal ? .milliseconds(100) : .seconds(5)) else {
            return
        }
        lastShown = now
        guard style.isTerminal else { return Output.note("\(title): \(text(done, all))") }
        isOnLine = true
        Output.raw("\r\(title)  \(bar(done, all))\(text(done, all))\u{1B}[K")
    }

    /// Removes the bar.
    mutating func finish() {
        if isOnLine { Output.raw("\r\u{1B}[K") }
        isOnLine = false
    }

    private func text(_ done: Int64, _ all: Int64?) -> String {
        guard let all else { return "\(done)" }
        return "\(done) of \(all) (\(percent(done, all))%)"
    }

    private func percent(_ done: Int64, _ all: Int64) -> Int64 {
        all > 0 ? min(100, max(0, done * 100 / all)) : 0
    }

    private func bar(_ done: Int64, _ all: Int64?) -> String {
        guard let all else { return "" }
        let width = 24
        let filled = Int(percent(done, all)) * width / 100
        let full = String(repeating: "#", count: filled)
        return "[" + style.paint(full, .good) + String(repeating: "-", count: width - filled)
            + "]  "
    }
}
