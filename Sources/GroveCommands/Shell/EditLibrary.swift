import Glibc

/// The system's libedit, loaded when a person first types a line: editing, history and completion
/// on a terminal, by the functions that it shares with GNU readline. That library is never loaded:
/// its licence isn't one for this program (docs/decisions/0069).
struct EditLibrary: Sendable {
    /// The names of the library's file.
    static let names = ["libedit.so.2", "libedit.so.0", "libedit.3.dylib"]

    /// The system has no usable library.
    struct Missing: Error, CustomStringConvertible {
        let reason: String

        var description: String {
            "lines can't be edited and nothing is completed without libedit: install it "
                + "(on Debian and Ubuntu: apt-get install libedit2); \(reason)"
        }
    }

    /// Reads a line after a prompt; the caller frees it. `nil` at the end.
    typealias ReadLine =
        @convention(c) @Sendable (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
    /// Answers the next character of the input as a Unicode scalar, or -1.
    typealias GetCharacter = @convention(c) @Sendable (OpaquePointer?) -> Int32
    /// Answers what the word that ends at the cursor may become; the library frees all of it.
    typealias Complete =
        @convention(c) @Sendable (UnsafePointer<CChar>?, Int32, Int32)
        -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

    let readLine: ReadLine
    let addHistory: @convention(c) @Sendable (UnsafePointer<CChar>?) -> Int32
    let boundHistory: @convention(c) @Sendable (Int32) -> Void
    let initialize: @convention(c) @Sendable () -> Int32
    /// Draws prompt and line again, where the cursor is.
    let redraw: @convention(c) @Sendable () -> Int32
    let resize: @convention(c) @Sendable () -> Void
    /// The line from one byte to another; the caller frees it.
    let copyLine: @convention(c) @Sendable (Int32, Int32) -> UnsafeMutablePointer<CChar>?

    /// The library's variables.
    let input: Variable<OpaquePointer?>
    let output: Variable<OpaquePointer?>
    let getCharacter: Variable<GetCharacter?>
    let complete: Variable<Complete?>
    /// Not 0 says that a completion without an answer ends there, without names of files.
    let isCompletionOver: Variable<Int32>
    /// Follows a single completion; 0 for nothing.
    let appended: Variable<Int32>
    /// Characters before a word that is completed.
    let wordBreaks: Variable<UnsafePointer<CChar>?>
    let line: Variable<UnsafePointer<CChar>?>
    let catchesSignals: Variable<Int32>
    /// The name of the program in a user's `.editrc`.
    let programName: Variable<UnsafePointer<CChar>?>

    /// Loads the first library that the system has.
    static func load(_ names: [String] = names) throws(Missing) -> EditLibrary {
        var reasons: [String] = []
        for name in names {
            guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else {
                reasons.append(dlerror().map { String(cString: $0) } ?? "no \(name)")
                continue
            }
            return try EditLibrary(Symbols(library: library, name: name))
        }
        throw Missing(reason: reasons.first ?? "no name")
    }

    private init(_ symbols: Symbols) throws(Missing) {
        readLine = unsafeBitCast(try symbols.address("readline"), to: ReadLine.self)
        addHistory = unsafeBitCast(
            try symbols.address("add_history"),
            to: (@convention(c) @Sendable (UnsafePointer<CChar>?) -> Int32).self)
        boundHistory = unsafeBitCast(
            try symbols.address("stifle_history"),
            to: (@convention(c) @Sendable (Int32) -> Void).self)
        initialize = unsafeBitCast(
            try symbols.address("rl_initialize"),
            to: (@convention(c) @Sendable () -> Int32).self)
        redraw = unsafeBitCast(
            try symbols.address("rl_forced_update_display"),
            to: (@convention(c) @Sendable () -> Int32).self)
        resize = unsafeBitCast(
            try symbols.address("rl_resize_terminal"),
            to: (@convention(c) @Sendable () -> Void).self)
        copyLine = unsafeBitCast(
            try symbols.address("rl_copy_text"),
            to: (@convention(c) @Sendable (Int32, Int32) -> UnsafeMutablePointer<CChar>?).self)
        input = Variable(try symbols.address("rl_instream"))
        output = Variable(try symbols.address("rl_outstream"))
        getCharacter = Variable(try symbols.address("rl_getc_function"))
        complete = Variable(try symbols.address("rl_attempted_completion_function"))
        isCompletionOver = Variable(try symbols.address("rl_attempted_completion_over"))
        appended = Variable(try symbols.address("rl_completion_append_character"))
        wordBreaks = Variable(try symbols.address("rl_basic_word_break_characters"))
        line = Variable(try symbols.address("rl_line_buffer"))
        catchesSignals = Variable(try symbols.address("rl_catch_signals"))
        programName = Variable(try symbols.address("rl_readline_name"))
    }

    /// A variable of the library, which only the thread that reads lines may use.
    struct Variable<Value>: Sendable {
        private let address: UInt

        fileprivate init(_ address: UnsafeMutableRawPointer) {
            self.address = UInt(bitPattern: address)
        }

        var value: Value {
            get { pointer.pointee }
            nonmutating set { pointer.pointee = newValue }
        }

        private var pointer: UnsafeMutablePointer<Value> {
            guard let pointer = UnsafeMutablePointer<Value>(bitPattern: address) else {
                preconditionFailure("a variable is only made of an address that was found")
            }
            return pointer
        }
    }

    /// The names of a library that was loaded.
    private struct Symbols {
        let library: UnsafeMutableRawPointer
        let name: String

        func address(_ symbol: String) throws(Missing) -> UnsafeMutableRawPointer {
            guard let address = dlsym(library, symbol) else {
                throw Missing(reason: "\(name) has no \(symbol)")
            }
            return address
        }
    }
}
