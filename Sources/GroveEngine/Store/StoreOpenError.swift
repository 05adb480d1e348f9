/// The reason why a data file was not opened. A refused file is left exactly as it was.
public enum StoreOpenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It isn't a Grove data file, or another program changed it.
    case foreign(String)
    /// It was written by a newer Grove: its schema, and the newest one known here.
    case newer(schema: Int, known: Int)
    /// It is damaged; the text has the location.
    case corrupt(String)
    /// Another server, or another program, has it open.
    case owned(String)
    /// The system refused to open, read, write or sync it.
    case inputOutput(String)
    /// The disk is full; a start needs a little room for the write-ahead log.
    case full
    /// The path can't be created or opened: wrong configuration.
    case unusablePath(String)

    /// The exit code of a server that can't open its data file (cli.md, "Exit codes"):
    /// 65 refused, 73 owned by another server, 74 I/O error, 78 wrong configuration.
    public var exitCode: Int32 {
        switch self {
        case .foreign, .newer, .corrupt: 65
        case .owned: 73
        case .inputOutput, .full: 74
        case .unusablePath: 78
        }
    }

    /// The error and its remedy, for the person who started the server.
    public var description: String {
        switch self {
        case .foreign(let reason):
            "the data file is refused: \(reason)"
        case .newer(let schema, let known):
            "the data file has schema \(schema), this Grove knows up to \(known): "
                + "start the Grove that wrote it, or a later one"
        case .corrupt(let place):
            "the data file is damaged: \(place); nothing was changed. Restore a backup, "
                + "or look at it with `grove check-data`"
        case .owned(let who):
            "the data file is in use: \(who)"
        case .inputOutput(let reason):
            "the data file cannot be read or written: \(reason)"
        case .full:
            "the disk is full: make room and start again"
        case .unusablePath(let reason):
            "the data file's path cannot be used: \(reason)"
        }
    }
}
