import APNs
import Testing
import Timeline

@Suite("The channel registry")
struct ChannelRegistryTests {
  private let home = ChannelStage.home
  private let now = Gate.now.world

  private func make(_ policy: StoragePolicy, in registry: inout ChannelRegistry) throws -> Channel {
    let made = registry.create(policy, in: home, at: now)
    return try #require(made)
  }

  @Test("the channel registry keeps a channel with its policy, and lists channels in the order they were made")
  func order() throws {
    var registry = ChannelRegistry(seed: 1)
    var made: [Channel] = []
    for number in 0..<100 {
      let policy: StoragePolicy = number % 3 == 0 ? .none : .mostRecent
      let channel = try make(policy, in: &registry)
      #expect(channel.policy == policy && channel.createdAt == now)
      #expect(registry.status(of: channel.id, in: home) == .live(channel))
      made.append(channel)
    }
    #expect(registry.channels(in: home) == made && registry.count(in: home) == 100)
    for channel in made.filter({ $0.number % 2 == 0 }) { #expect(registry.delete(channel.id, in: home) == channel) }
    #expect(registry.channels(in: home) == made.filter { $0.number % 2 == 1 })
  }

  @Test("channels of environments and apps are separate: none sees those of another")
  func homes() throws {
    var registry = ChannelRegistry(seed: 1)
    let id = try make(.none, in: &registry).id
    for other in [ChannelOwner(.production, home.bundleID), ChannelOwner(.sandbox, "com.example.two")] {
      #expect(registry.status(of: id, in: other) == .unknown)
      #expect(registry.delete(id, in: other) == nil && registry.channels(in: other).isEmpty)
    }
    #expect(registry.count(in: home) == 1)
  }

  @Test("a deleted channel stays deleted, and is remembered as deleted")
  func deleted() throws {
    var registry = ChannelRegistry(seed: 1)
    let channel = try make(.none, in: &registry)
    #expect(registry.delete(channel.id, in: home) == channel)
    #expect(registry.status(of: channel.id, in: home) == .deleted)
    #expect(registry.delete(channel.id, in: home) == nil)
    let strange = try #require(ChannelID(ChannelStage.strange))
    #expect(registry.status(of: strange, in: home) == .unknown)
  }

  @Test("a home has a limit of channels, and has room again after a deletion")
  func full() throws {
    var registry = ChannelRegistry(seed: 1)
    for _ in 0..<ChannelRegistry.mostPerHome { _ = registry.create(.none, in: home, at: now) }
    #expect(registry.count(in: home) == 10_000 && !registry.hasRoom(in: home))
    #expect(registry.create(.none, in: home, at: now) == nil)
    #expect(registry.create(.none, in: ChannelOwner(.production, home.bundleID), at: now) != nil)
    let first = try #require(registry.channels(in: home).first)
    _ = registry.delete(first.id, in: home)
    #expect(registry.create(.none, in: home, at: now)?.number == 10_000)
  }

  @Test("a limited number of deleted ids is remembered, the oldest is forgotten first, and no id is used again")
  func bounded() throws {
    var registry = ChannelRegistry(seed: 1)
    var ids: [ChannelID] = []
    let bound = ChannelRegistry.deletedRemembered
    for _ in 0..<bound + 5 {
      let id = try make(.none, in: &registry).id
      ids.append(id)
      _ = registry.delete(id, in: home)
    }
    #expect(Set(ids).count == ids.count)
    for id in ids.prefix(5) { #expect(registry.status(of: id, in: home) == .unknown) }
    for id in ids.dropFirst(5) where registry.status(of: id, in: home) != .deleted { Issue.record("\(id.text)") }
  }
}
