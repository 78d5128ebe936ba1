import Testing

@testable import Pushpit

@Suite("The connections of the admin API") struct AdminHandlerTests {
  @Test(
    "admin connections may use an eighth of the file descriptors, between 8 and 128: the others are for pushes",
    arguments: [(20, 8), (64, 8), (256, 32), (1024, 128), (1_048_576, 128)])
  func descriptors(all: Int, connections: Int) { #expect(AdminHandler.connections(of: all) == connections) }
}
