/// The story of `pushpit hunt --demo`: a match on two Lock Screens, sent by the built-in provider with a bug.
package enum DemoStory {
  static let name = "demo"

  static let text = """
    name: demo
    story: Two phones follow a match. The built-in provider sends again what APNs rejects, and has one bug.
    seed: 1
    for: 20m
    quiet: 5m
    settings:
      fleet: {devices: 2, ideal: true, os: {"26.1": 1}}
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
              content-state: {goals: 0}
              alert: {title: Kick-off, body: Lions against Bears}
      - name: scores
        at: 3m
        every: 3m
        until: 18m
        push:
          tokenKind: update
          priority: 10
          payload: {aps: {timestamp: "{{time.unix}}", event: update, content-state: {goals: "{{n}}"}}}
      - name: final whistle
        at: 19m
        push:
          tokenKind: update
          priority: 10
          payload: {aps: {timestamp: "{{time.unix}}", event: end, content-state: {goals: 6}}}
    expect:
      - {name: everybody sees the end, screens: {}, show: {card: {state: ended, contentState: {goals: 6}}}}

    """
}
