import ArgumentParser

/// When output has colors.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    /// On a terminal with colors, unless `NO_COLOR` is set.
    case auto
    case always
    case never
}
