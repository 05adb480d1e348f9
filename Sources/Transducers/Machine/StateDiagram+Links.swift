extension StateDiagram {
    /// The arrows, those of regions after the others.
    package var allLinks: [Link] {
        var groups = self.groups[...]
        var all = links
        while let group = groups.popFirst() {
            all += group.links
            groups += group.groups
        }
        return all
    }
}
