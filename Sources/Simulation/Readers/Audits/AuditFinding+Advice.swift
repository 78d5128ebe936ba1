extension AuditFinding.Kind {
  /// Words for what the backend should have done instead, beginning with a verb.
  ///
  /// Every finding says it. A finding whose backend could not have done better accuses the innocent, so a kind
  /// without such words does not compile.
  package var instead: String {
    switch self {
    case .duplicate:
      "send a push again only if it was not answered 200; with an apns-collapse-id, a copy replaces the first"
    case .olderTimestamp: "give each update a newer timestamp than the one before, and drop what has been overtaken"
    case .updateAfterEnd: "send nothing after the end, and start another activity for what is new"
    case .hastyRetry: "obey Retry-After and back off"
    case .deadToken: "delete a token when a 410 has a timestamp that is not older than the token's registration"
    case .tokenThrownAway:
      "compare the timestamp with the time of registration, and keep a token that was registered later"
    case .outOfOrder: "retry with the newest state, not the old one"
    case .providerTokenRenewed: "use each for 20 to 60 minutes, in all workers"
    case .providerTokenExpired:
      "make a new one every 20 to 60 minutes, also in workers that run for a long time, and check the machine's clock"
    case .connectionPerPush: "keep connections open and reuse them"
    case .refusedToken: "delete it, because such a token never becomes valid"
    case .replacedToken: "delete the old token when the new one arrives, because APNs may answer 200 to it for long"
    case .wrongTokenKind:
      "only start an activity with a push-to-start token, and update and end it with the token that pushTokenUpdates"
        + " gave, even if the start token is reported again"
    case .payloadDropped: "check the payload against Apple's keys, with `pushpit lint`"
    case .millisecondTimestamp: "write seconds, or every later update in seconds is ignored"
    case .dateSince1970: "subtract 978,307,200, or the card shows a date decades ahead"
    case .fieldsIgnored: "send each member as Apple documents it, or leave it out; `pushpit lint` checks a payload"
    case .sameContent: "send only what has changed"
    case .updateBudgetSpent:
      "send those that are not urgent with priority 5, and let the app ask for frequent updates if it needs them"
    case .startsSpent: "start once for each person and event, and wait for the update token before you start again"
    case .backgroundThrottled: "send two or three an hour, and do not rely on them"
    case .pushAfterDismissal: "stop pushing to it, and delete its token"
    case .backgroundPriority: "send 5, because without apns-priority it has 10"
    case .expirationUnit: "write the seconds since 1970 until which the push is of use"
    case .noExpiration: "write the time until which it is of use"
    case .overwritten: "send what belongs together in one push"
    case .neverEnded: "push an end when its event is over"
    }
  }
}
