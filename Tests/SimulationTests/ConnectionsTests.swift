import APNs
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The connections of the world")
struct ConnectionsTests {
  private func connections(_ numbers: ClosedRange<UInt64>) -> Connections {
    var connections = Connections(seed: 1, began: Instant(seconds: 1))
    for number in numbers {
      connections.open(
        ProviderConnectionID(number),
        of: ProviderConnection(environment: number % 2 == 0 ? .production : .sandbox), peer: "p\(number)",
        managesChannels: number % 5 == 0, at: Instant(seconds: 1))
    }
    return connections
  }

  @Test("a slot leads to its connection, also after others have opened and closed")
  func places() {
    var connections = connections(1...40)
    for number: UInt64 in 1...40 {
      if number % 3 == 0 {
        for _ in 0..<2 { connections.close(ProviderConnectionID(number)) }
      }
      for other: UInt64 in 1...40 {
        let place = connections.index(of: ProviderConnectionID(other))
        #expect(place.map { connections[$0].peer } == (other % 3 == 0 && other <= number ? nil : "p\(other)"))
      }
    }
    #expect(connections.count == 27)
  }

  @Test("pushes are counted for their connection and for all, refused ones too")
  func counts() throws {
    var connections = connections(1...3)
    for number: UInt64 in [1, 2, 2] {
      let found = connections.index(of: ProviderConnectionID(number))
      let place = try #require(found)
      connections.countPush(at: place)
    }
    let found = connections.index(of: ProviderConnectionID(2))
    let place = try #require(found)
    let rejection = Rejection(.invalidProviderToken, by: .providerSignature)
    let rule = connections[place].countRefusal(rejection)
    let again = connections[place].countRefusal(rejection)
    #expect(rule == .providerSignature && again == nil, "it is named once")
    let page = connections.page(after: 0, limit: 10)
    #expect(page.connections.map(\.pushes) == [1, 2, 0] && page.connections.map(\.refused) == [0, 2, 0])
    #expect(connections.pushes == 3)
  }

  @Test("connections are listed in the order in which they opened, a page at a time")
  func pages() {
    let connections = connections(1...7)
    let first = connections.page(after: 2, limit: 3)
    #expect(first.connections.map(\.id.number) == [3, 4, 5] && first.hasMore)
    let last = connections.page(after: 5, limit: 3)
    #expect(last.connections.map(\.id.number) == [6, 7] && !last.hasMore)
  }

  @Test("those that manage channels are known as such until they close")
  func managers() {
    var connections = connections(1...5)
    #expect(connections.hasManagers && connections.managesChannels(ProviderConnectionID(5)))
    #expect(!connections.managesChannels(ProviderConnectionID(4)))
    connections.close(ProviderConnectionID(5))
    #expect(!connections.hasManagers && !connections.managesChannels(ProviderConnectionID(5)))
  }
}
