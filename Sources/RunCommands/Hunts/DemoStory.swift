/// The story of `pushpit hunt --demo`: a match on four Lock Screens, sent by the built-in provider with a bug.
package enum DemoStory {
  static let name = "demo"

  static let text = """
    name: demo
    story: Four phones follow a match. The built-in provider sends again what APNs rejects, and has one bug.
    seed: 1
    for: 20m
    quiet: 5m
    settings:
      fleet: {devices: 4, ideal: true, os: {"26.1": 1}}
      prompt: {policy: never}
      timing: {immediate: true}
      budgets: {update: {preset: lenient}}
    steps:
      - name: kick-off
        push:
          tokenKind: pushToStart
          payload:
            aps:
              timestamp: "{{time.unix}}"
              event: start
              attributes-type: MatchAttributes
              attributes: {home: Lions, away: Bears}
              content-state: {minute: 0}
              alert: {title: Kick-off, body: Lions against Bears}
      - name: scores
        at: 1m
        every: 1m
        until: 18m
        push:
          tokenKind: update
          priority: 10
          payload: {aps: {timestamp: "{{time.unix}}", event: update, content-state: {minute: "{{n}}"}}}
      - name: final whistle
        at: 19m
        push:
          tokenKind: update
          priority: 10
          payload: {aps: {timestamp: "{{time.unix}}", event: end, content-state: {minute: 18}}}
    expect:
      - {name: everybody sees the end, screens: {}, show: {card: {state: ended, contentState: {minute: 18}}}}

    """
}
