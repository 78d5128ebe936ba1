import APNs

/// For each rule of broadcasts and channels, calls that break it and no other.
struct ChannelFlaw {
  let rule: ChannelRule
  /// The call that breaks it, on a stage that can say which channels there are.
  let call: (ChannelStage) -> ChannelCall?

  init(_ rule: ChannelRule, _ call: @escaping (ChannelStage) -> ChannelCall?) {
    self.rule = rule
    self.call = call
  }

  static var all: [ChannelFlaw] { shared + publishing + creating + finding }

  /// A sound call of every operation.
  static func sound(_ stage: ChannelStage) -> [ChannelCall] {
    [.publish(to: stage.stored), .create(), .read(stage.stored), .delete(stage.unstored), .list()]
  }

  /// The flaws that any of the sound calls can have.
  private static var shared: [ChannelFlaw] {
    (0..<5).flatMap { number -> [ChannelFlaw] in
      func flaw(_ rule: ChannelRule, _ change: @escaping (inout ChannelCall) -> Void) -> ChannelFlaw {
        ChannelFlaw(rule) { sound($0)[number].changed(change) }
      }
      func app(_ name: String) -> (inout ChannelCall) -> Void {
        { $0.path.replace(ChannelCall.app, with: name) }
      }
      return [
        flaw(.noDuplicateHeaders) { $0.fields += [(name: "apns-request-id", value: "1")] + [("apns-request-id", "1")] },
        flaw(.knownPath) { $0.path += "/more" },
        flaw(.knownPath, app("")),
        flaw(.knownPath) { $0.path = $0.path.replacing("apps", with: "app") },
        flaw(.knownMethod) { $0.method = "PUT" },
        flaw(.bareBundleID, app("com.example.app.push-type.liveactivity")),
        flaw(.appOfTeam, app("org.other.app")),
        flaw(.appOfTeam, app("com.unheard-of")),
        flaw(.requestID) { $0.fields.append((name: "apns-request-id", value: "not-a-uuid")) },
        flaw(.requestID) { $0.fields.append((name: "apns-id", value: "not-a-uuid")) },
      ]
    }
  }

  private static var publishing: [ChannelFlaw] {
    func flaw(_ rule: ChannelRule, _ name: String, _ value: String?) -> ChannelFlaw {
      ChannelFlaw(rule) { .publish(to: $0.stored).with(name, value) }
    }
    return [
      ChannelFlaw(.knownMethod) { .publish(to: $0.stored).changed { $0.method = "GET" } },
      flaw(.channelPresent, "apns-channel-id", nil), flaw(.channelPresent, "apns-channel-id", ""),
      flaw(.channelWellFormed, "apns-channel-id", "dHN0LXNyY2gtY2hubA=="),
      flaw(.channelIssued, "apns-channel-id", ChannelStage.strange),
      ChannelFlaw(.channelRegistered) { .publish(to: $0.deleted) },
      flaw(.pushTypePresent, "apns-push-type", nil), flaw(.pushTypePresent, "apns-push-type", ""),
      flaw(.pushTypeKnown, "apns-push-type", "alert"),
      flaw(.expirationPresent, "apns-expiration", nil), flaw(.expirationPresent, "apns-expiration", "soon"),
      ChannelFlaw(.expirationOfUnstored) { .publish(to: $0.unstored).with("apns-expiration", "1700000600") },
      flaw(.priority, "apns-priority", nil), flaw(.priority, "apns-priority", "7"),
      ChannelFlaw(.payloadPresent) { .publish(to: $0.stored).saying("") },
      ChannelFlaw(.payloadSize) { .publish(to: $0.stored).saying(String(repeating: " ", count: 5121)) },
    ]
  }

  private static var creating: [ChannelFlaw] {
    func flaw(_ rule: ChannelRule, _ body: String) -> ChannelFlaw {
      ChannelFlaw(rule) { _ in .create().saying(body) }
    }
    let policy = #""message-storage-policy":1"#
    let type = #""push-type":"LiveActivity""#
    return [
      flaw(.payloadPresent, ""), flaw(.payloadSize, "{\(policy),\(type)\(String(repeating: " ", count: 5120))}"),
      flaw(.payloadReadable, "{"), flaw(.payloadReadable, "[]"), flaw(.payloadReadable, "1"),
      flaw(.attributesKnown, "{\(policy),\(type),\"size\":1}"),
      flaw(.storagePolicy, "{\(type)}"), flaw(.storagePolicy, #"{"message-storage-policy":2,\#(type)}"#),
      flaw(.storagePolicy, #"{"message-storage-policy":"1",\#(type)}"#),
      flaw(.storagePolicy, #"{"message-storage-policy":-9223372036854775808,\#(type)}"#),
      flaw(.pushTypePresent, "{\(policy)}"), flaw(.pushTypeKnown, "{\(policy),\"push-type\":\"alert\"}"),
    ]
  }

  private static var finding: [ChannelFlaw] {
    [
      ChannelFlaw(.channelPresent) { .read($0.stored).with("apns-channel-id", "") },
      ChannelFlaw(.channelPresent) { .delete($0.stored).with("apns-channel-id", "") },
      ChannelFlaw(.channelWellFormed) { _ in .read("x") }, ChannelFlaw(.channelWellFormed) { _ in .delete("x") },
      ChannelFlaw(.channelRegistered) { _ in .read(ChannelStage.strange) },
      ChannelFlaw(.channelRegistered) { .read($0.deleted) },
      ChannelFlaw(.channelFound) { _ in .delete(ChannelStage.strange) },
      ChannelFlaw(.channelFound) { .delete($0.deleted) },
    ]
  }
}
