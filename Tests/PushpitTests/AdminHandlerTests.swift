import Testing

@testable import Pushpit

@Suite("The door of the admin API") struct AdminHandlerTests {
  @Test(
    "takes an eighth of the file descriptors for connections, between 8 and 128: the others are for pushes",
    arguments: [(20, 8), (64, 8), (256, 32), (1024, 128), (1_048_576, 128)])
  func descriptors(all: Int, connections: Int) { #expect(AdminHandler.connections(of: all) == connections) }
}
