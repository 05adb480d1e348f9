import Testing

/// A place in the text of a test, in the forms that Swift Testing and XCTest each want.
public struct SourcePlace: Sendable {
    /// Module and file, as `#fileID`.
    public let fileID: StaticString
    /// The file, as `#filePath`.
    public let filePath: StaticString
    /// Counted from 1.
    public let line: UInt
    /// Counted from 1.
    public let column: UInt

    /// The place of the call, unless told otherwise.
    public init(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }

    var sourceLocation: SourceLocation {
        SourceLocation(
            fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
    }
}

extension SourcePlace: Equatable {
    /// Whether both are on the same line of the same file: columns change with the formatting.
    public static func == (left: SourcePlace, right: SourcePlace) -> Bool {
        left.line == right.line && "\(left.fileID)" == "\(right.fileID)"
    }
}
