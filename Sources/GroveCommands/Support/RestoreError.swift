import ArgumentParser
import GroveEngine

/// Why nothing was restored, and what to do.
struct RestoreError: Error {
    let code: ExitCode
    /// One sentence without a period.
    let message: String
    let hint: String?

    init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// An error of the file whose place the backup takes.
    init(place error: StoreOpenError) {
        switch error {
        case .full: self = .fullDisk
        case .owned:
            self.init(
                .cannotCreate, "\(error)",
                hint: "stop what has it open, with 'systemctl stop grove' for instance, and repeat")
        case .unusablePath: self.init(.noInput, "\(error)")
        case .foreign, .newer, .corrupt, .inputOutput:
            self.init(ExitCode(error.exitCode), "\(error)")
        }
    }

    /// An error of the backup.
    init(backup: String, _ error: StoreOpenError) {
        switch error {
        case .corrupt(let place): self = .damaged(backup, place)
        case .foreign(let reason):
            self.init(
                .dataError, "the backup \(backup) is refused: \(reason)",
                hint: "name a file that 'grove backup' has made")
        case .newer(let schema, let known):
            self.init(
                .dataError,
                "the backup \(backup) has schema \(schema), this Grove knows up to \(known)",
                hint: "restore it with the Grove that made it, or a later one")
        case .owned(let who):
            self.init(
                .cannotCreate, "the backup \(backup) is in use: \(who)",
                hint: "make a copy with 'grove backup FILE', and restore that")
        case .inputOutput(let reason):
            self.init(.inputOutput, "the backup \(backup) can't be read: \(reason)")
        case .full: self = .fullDisk
        case .unusablePath:
            self.init(.noInput, "there is no backup \(backup)", hint: "check its name")
        }
    }

    /// An error of the backup while it is read.
    init(backup: String, _ error: StoreError) {
        switch error {
        case .corrupt(let place): self = .damaged(backup, place)
        case .full: self = .fullDisk
        case .inputOutput(let reason), .tooLarge(let reason):
            self.init(.inputOutput, "the backup \(backup) can't be read: \(reason)")
        }
    }

    /// An error of the copy beside the data file.
    init(copy error: any Error) {
        let reason =
            switch error {
            case StoreOpenError.full, StoreError.full: nil as String?
            case StoreOpenError.corrupt(let reason), StoreOpenError.inputOutput(let reason),
                StoreOpenError.foreign(let reason), StoreOpenError.owned(let reason),
                StoreError.corrupt(let reason), StoreError.inputOutput(let reason),
                StoreError.tooLarge(let reason):
                reason
            default: "\(error)"
            }
        guard let reason else {
            self = .fullDisk
            return
        }
        self.init(
            .inputOutput, "the copy of the backup can't be written: \(reason)",
            hint: "check the disk, and repeat")
    }

    static let fullDisk = RestoreError(
        .inputOutput, "the disk is full, and nothing was restored",
        hint: "make room in the folder of FILE, and repeat")

    static func damaged(_ backup: String, _ place: String) -> RestoreError {
        RestoreError(
            .dataError, "the backup \(backup) is damaged: \(place)",
            hint: "take another backup; 'grove check-data' lists all damage")
    }

    /// Prints the error.
    func report(_ format: FormatFlags) {
        let style = format.noteStyle
        Output.note(style.paint("error:", .bad) + " " + style.safe(message))
        if let hint { Output.note(style.paint("hint:", .accent) + " " + hint) }
        show(format)
    }

    /// Writes the error for programs, with `--json`.
    func show(_ format: FormatFlags) {
        guard format.json else { return }
        // The exit code says it too, and a closed output must not change that.
        try? Output.line(Failures.json(code, message, isRetryable: code == .cannotCreate))
    }
}
