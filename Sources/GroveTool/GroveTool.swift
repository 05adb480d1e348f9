@main struct GroveTool { static func main() {} }
