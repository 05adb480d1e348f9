import Glibc
import Synchronization

/// Lines that a person types on a terminal, with libedit's keys, history and completion. There is
/// one per process, and one thread uses it.
final class LineEditor: LineReader {
    /// Completes the word at the end of the text, which is the line before the cursor.
    typealias Complete = @Sendable (_ text: String) -> [LineCompletion]

    /// What the library's callbacks use: functions of C have no other way to it.
    private struct Callbacks: Sendable {
        let library: EditLibrary
        let input: ShellInput
        let complete: Complete
        /// Shows what waits beside the prompt, and answers whether that was anything.
        let show: @Sendable (_ clear: String) -> Bool
        var prompt = ""
        /// Whether the line ended because of Ctrl-C.
        var isInterrupted = false
        /// Whether nothing of the line was typed yet.
        var isFirstKey = true
    }

    private static let callbacks = Mutex<Callbacks?>(nil)

    private let library: EditLibrary
    private let input: ShellInput

    /// Prepares the library.
    ///
    /// - Parameter show: Shows lines beside the prompt. If it has any, it begins with the text that
    ///   it gets, which takes the prompt off the screen.
    init(
        _ library: EditLibrary, input: ShellInput, complete: @escaping Complete,
        show: @escaping @Sendable (_ clear: String) -> Bool
    ) {
        self.library = library
        self.input = input
        Self.callbacks.withLock {
            $0 = Callbacks(library: library, input: input, complete: complete, show: show)
        }
        setLocale()
        // The library keeps these for the life of the process.
        library.programName.value = UnsafePointer(strdup("grove"))
        library.wordBreaks.value = UnsafePointer(strdup(" \t\n\"'"))
        library.input.value = OpaquePointer(fdopen(dup(STDIN_FILENO), "r"))
        library.output.value = OpaquePointer(fdopen(dup(STDERR_FILENO), "w"))
        library.catchesSignals.value = 0
        library.getCharacter.value = { _ in LineEditor.nextCharacter() }
        _ = library.initialize()
        library.complete.value = { _, start, end in LineEditor.matches(from: start, to: end) }
        library.boundHistory(Int32(ShellHistory.linesMax))
    }

    /// Letters are those of the environment; without one that has UTF-8, those of UTF-8.
    private func setLocale() {
        setlocale(LC_CTYPE, "")
        if String(cString: nl_langinfo(Int32(CODESET))) != "UTF-8" {
            setlocale(LC_CTYPE, "C.UTF-8")
        }
    }

    /// Remembers a line for the keys that bring earlier ones back.
    func remember(_ line: String) { _ = library.addHistory(line) }

    /// Reads a line.
    func read(_ prompt: String) -> ShellPrompt {
        Self.callbacks.withLock {
            $0?.prompt = prompt
            $0?.isInterrupted = false
            $0?.isFirstKey = true
        }
        let text = library.readLine(prompt)
        defer { free(text) }
        if let text { return .line(String(cString: text)) }
        let isInterrupted = Self.callbacks.withLock { $0?.isInterrupted ?? false }
        guard isInterrupted else { return .end }
        // As the terminal shows it while it edits lines itself.
        Output.raw("^C")
        return .interrupted
    }

    /// The next character for the library; -1 ends the line.
    private static func nextCharacter() -> Int32 {
        guard let callbacks = callbacks.withLock(\.self) else { return -1 }
        while true {
            switch callbacks.input.next() {
            case .character(let scalar):
                let isFirst = Self.callbacks.withLock { callbacks in
                    defer { callbacks?.isFirstKey = false }
                    return callbacks?.isFirstKey == true
                }
                // A Ctrl-D that was typed while a command ran, or right before the library set the
                // terminal's modes: the terminal edited lines itself and made this of it. As the
                // key does, it ends an empty line, and changes no other at its end.
                guard scalar == "\0" else { return Int32(bitPattern: scalar.value) }
                if isFirst { return -1 }
            case .end: return -1
            case .signal(SIGWINCH): callbacks.library.resize()
            case .signal(SIGINT):
                Self.callbacks.withLock { $0?.isInterrupted = true }
                return -1
            case .signal: return -1
            case .wake:
                if callbacks.show(clear(callbacks)) { _ = callbacks.library.redraw() }
            }
        }
    }

    /// Moves the cursor to the prompt's first column and clears everything from there.
    private static func clear(_ callbacks: Callbacks) -> String {
        let copy = callbacks.library.copyLine(0, Int32(ShellSession.lineBytesMax))
        defer { free(copy) }
        let line = copy.map { String(cString: $0) } ?? ""
        let columns = TerminalScreen.size?.columns ?? 80
        let above = (callbacks.prompt + line).lineBreaks(columns: columns)
        return "\r" + (above > 0 ? "\u{1B}[\(above)A" : "") + "\u{1B}[J"
    }

    /// The library's list: what all matches begin with, then the matches.
    private static func matches(
        from start: Int32, to end: Int32
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        guard let callbacks = callbacks.withLock(\.self) else { return nil }
        callbacks.library.isCompletionOver.value = 1
        guard let line = callbacks.library.line.value.map({ String(cString: $0) }) else {
            return nil
        }
        // Places are numbers of Unicode scalars.
        let scalars = line.unicodeScalars
        let text = String(String.UnicodeScalarView(scalars.prefix(Int(end))))
        let typed = String(String.UnicodeScalarView(scalars.prefix(Int(end)).dropFirst(Int(start))))
        let completions = callbacks.complete(text)
        let found = completions.compactMap { completion in
            // The library replaces what is after the last blank or quote.
            completion.typed.hasSuffix(typed) ? typed + completion.rest : nil
        }
        guard let first = found.first else { return nil }
        callbacks.library.appended.value =
            completions.first?.end?.asciiValue.map(Int32.init) ?? 0
        let common = found.dropFirst().reduce(first[...]) { common, text in
            let count = zip(common.unicodeScalars, text.unicodeScalars).prefix { $0 == $1 }.count
            return Substring(common.unicodeScalars.prefix(count))
        }
        return list([String(common)] + found)
    }

    private static func list(
        _ texts: [String]
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        // The library frees the list and its texts.
        let size = (texts.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
        guard let memory = malloc(size) else { return nil }
        let list = memory.bindMemory(
            to: UnsafeMutablePointer<CChar>?.self, capacity: texts.count + 1)
        for (index, text) in texts.enumerated() { list[index] = strdup(text) }
        list[texts.count] = nil
        return list
    }
}
