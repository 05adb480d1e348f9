import GroveAccess

/// `list`, as far as it was read.
struct ListRead {
    let list: List
    let caller: Caller
    var items: [Reply.ListItem] = []
    var bytes = 0
    var after: String?
    var scanned = 0
    /// Rows that are asked for in one go: few at first, because each may hold a megabyte.
    var step = 8

    init(_ list: List, by caller: Caller) {
        self.list = list
        self.caller = caller
        after = list.after
    }
}
