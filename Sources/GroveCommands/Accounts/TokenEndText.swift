import ArgumentParser
import GroveAccess
import GroveClient

/// The end of a token on the command line: `90d`, `12h`, `never`, or a time of UTC such as
/// `2027-02-19T00:00:00Z`.
struct TokenEndText: ExpressibleByArgument {
    private enum End {
        case never
        case after(milliseconds: Int64)
        case at(InstantText)
    }

    private let end: End

    init?(argument: String) {
        if argument == "never" {
            end = .never
        } else if let instant = InstantText(argument) {
            end = .at(instant)
        } else if let milliseconds = DaySpan(argument: argument)?.milliseconds {
            end = .after(milliseconds: milliseconds)
        } else {
            return nil
        }
    }

    /// The end for a client, counted from `now` in milliseconds since 1970.
    func expiry(now: Int64) -> TokenExpiry {
        switch end {
        case .never: .never
        case .after(let span): .at(InstantText(milliseconds: now + span).text)
        case .at(let instant): .at(instant.text)
        }
    }
}
