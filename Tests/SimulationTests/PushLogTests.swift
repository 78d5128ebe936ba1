import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The ledger")
struct PushLogTests {
  private func records(_ count: Int) throws -> [PushRecord] {
    var stage = Stage()
    return try (0..<count).map { number in
      number.isMultiple(of: 3) ? try stage.push("00") : try stage.push(try stage.token(on: UInt32(number % 5)))
    }
  }

  private func pushLog(_ records: [PushRecord], capacity: Int) -> PushLog {
    var pushLog = PushLog(capacity: capacity)
    for record in records { pushLog.append(record) }
    return pushLog
  }

  @Test("the ledger keeps the last pushes and forgets the oldest, at every size")
  func ring() throws {
    let records = try records(25)
    for count in 0...25 {
      let pushLog = pushLog(Array(records.prefix(count)), capacity: 10)
      let kept = Array(records.prefix(count).suffix(10).reversed())
      #expect(pushLog.list(.init(), before: nil, limit: 100).pushes == kept, "\(count) pushes")
      #expect(pushLog.count == kept.count && pushLog.total == UInt64(count) && pushLog.capacity == 10)
    }
  }

  @Test("of one push it keeps the newest")
  func ringOfOne() throws {
    let records = try records(3)
    #expect(pushLog(records, capacity: 1).list(.init(), before: nil, limit: 5).pushes == [records[2]])
  }

  @Test("a push that takes the place of an older one has none of what became of that")
  func changesGoWithTheirPush() throws {
    let records = try records(3)
    var pushLog = pushLog([records[0]], capacity: 1)
    let steps = [Fate.stored(.offline), .discarded(.expired)].map { FateStep(fate: $0, at: Stage.began) }
    for step in steps { pushLog.step(records[0].sequence, step) }
    pushLog.sent(records[0].sequence, SentAnswerStep(sent: .nothing(.silence), at: Stage.began))
    let first = try #require(pushLog.push(number: records[0].sequence))
    #expect(first.later == steps && first.fate == .discarded(.expired) && first.sent == .nothing(.silence))
    pushLog.append(records[1])
    #expect(pushLog.push(number: records[1].sequence) == records[1])
    // As a session takes it from the ledger of all.
    pushLog.append(first)
    #expect(pushLog.list(.init(), before: nil, limit: 5).pushes == [first])
    pushLog.append(records[2])
    #expect(pushLog.list(.init(), before: nil, limit: 5).pushes == [records[2]])
  }

  @Test("a later fate of a push that came with later fates from another log is its last")
  func laterFates() throws {
    let record = try records(1)[0]
    let steps = [Fate.stored(.offline), .discarded(.expired), .discarded(.coalesced)].map {
      FateStep(fate: $0, at: Stage.began)
    }
    var all = pushLog([record], capacity: 1)
    for step in steps.prefix(2) { all.step(record.sequence, step) }
    var session = pushLog([try #require(all.push(number: record.sequence))], capacity: 1)
    session.step(record.sequence, steps[2])
    let found = try #require(session.push(number: record.sequence))
    #expect(found.later == steps && found.fate == .discarded(.coalesced))
  }

  @Test("the ledger is read page by page, newest first, without a gap or a repetition")
  func pages() throws {
    let records = try records(25)
    let pushLog = pushLog(records, capacity: 17)
    for limit in 1...20 {
      var read: [PushRecord] = []
      var cursor: UInt64?
      repeat {
        let page = pushLog.list(.init(), before: cursor, limit: limit)
        #expect(page.pushes.count <= limit)
        read += page.pushes
        cursor = page.next
      } while cursor != nil
      #expect(read == Array(records.suffix(17).reversed()), "limit \(limit)")
    }
  }

  @Test("the ledger is filtered by status, reason, device, environment, topic and id")
  func filters() throws {
    let records = try records(20)
    let pushLog = pushLog(records, capacity: 100)
    func list(_ change: (inout Filter) -> Void) -> [PushRecord] {
      var filter = Filter()
      change(&filter)
      return pushLog.list(filter, before: nil, limit: 100).pushes.reversed()
    }
    #expect(list { $0.status = 400 } == records.filter { $0.status == 400 })
    #expect(list { $0.reason = .badDeviceToken }.count == 7 && list { $0.reason = .badTopic }.isEmpty)
    #expect(list { $0.devices = [DeviceID(2)] } == records.filter { $0.address?.device == DeviceID(2) })
    #expect(list { $0.environment = .production }.isEmpty && list { $0.environment = .sandbox }.count == 20)
    #expect(list { $0.topic = Stage.app }.count == 20 && list { $0.topic = Stage.store }.isEmpty)
    #expect(list { $0.id = NotificationID(records[4].answer.id.text.lowercased()) } == [records[4]])
  }

  @Test("the ledger finds the newest push with an id, in upper or lower case")
  func findsByID() throws {
    var stage = Stage()
    let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
    let first = try stage.push(try stage.token(), id: id)
    let second = try stage.push("00", id: id.uppercased())
    let pushLog = pushLog([first, second, try stage.push("00")], capacity: 10)
    #expect(pushLog.push(try #require(NotificationID(id))) == second)
    #expect(pushLog.push(NotificationID(bits: (1, 1))) == nil)
  }
}
