import Dispatch
import Synchronization
import Testing
import Transport

@Suite("Calls of apps are cancelled and stopped", .timeLimit(.minutes(15))) struct CallStoppingTests {
  @Test("A call in flight, and a waiting one: each cancelled once") func cancel() async throws {
    let server = try WebServer { _ in .silence }
    let phones = try Phones { $0.connections = 1 }
    phones.start(1...3, server.url)
    #expect(await server.requests(1).count == 1)
    phones.caller.cancel([3, 99])
    #expect(await phones.ends(1).map(\.number) == [3])
    phones.caller.cancel([1, 3])
    let end = await phones.ends(1).first
    #expect(end?.number == 1 && end?.failure?.kind == .cancelled)
    #expect(end?.failure?.description == "the call to 127.0.0.1:\(server.port) was cancelled in flight")
    // The connection of a cancelled call is closed, and its place is free.
    var (closed, requested): (Int?, Int?)
    for await event in server.events {
      switch event {
      case .closed(let connection): closed = connection
      case .request(let request): requested = request.connection
      }
      if closed != nil, requested != nil { break }
    }
    #expect(closed == 1 && requested == 2)
    phones.caller.cancel([1, 2, 3])
    #expect(await phones.ends(1).map(\.number) == [2])
    #expect(await phones.stop().isEmpty)
  }

  @Test("Two open calls with one number end both") func sameNumber() async throws {
    let server = try WebServer { _ in .silence }
    let phones = try Phones()
    phones.start(5...5, server.url)
    phones.start(5...5, server.url)
    #expect(await server.requests(2).count == 2)
    phones.caller.cancel([5])
    #expect(await phones.ends(2).map(\.failure?.kind) == [.cancelled, .cancelled])
  }

  @Test("Stopping cancels open calls, and all ends are reported when it returns") func stop() async throws {
    let server = try WebServer { _ in .silence }
    let phones = try Phones { $0.connections = 5 }
    phones.start(1...100, server.url)
    #expect(await server.requests(5).count == 5)
    let ends = await phones.stop()
    #expect(ends.map(\.number).sorted() == Array(1...100))
    #expect(ends.allSatisfy { $0.failure?.kind == .cancelled })
    #expect(Set([await server.nextClosed(), await server.nextClosed()]).count == 2)
    phones.caller.stop()
  }

  @Test("After stopping, calls end as cancelled before `start` returns") func late() throws {
    let ends = Mutex<[AppCallEnd]>([])
    let caller = try AppCaller { batch in ends.withLock { $0 += batch } }
    caller.stop()
    caller.start([AppCall(number: 3, method: "GET", url: "http://127.0.0.1:9/")])
    caller.cancel([3])
    #expect(ends.withLock { $0.map(\.number) } == [3])
    #expect(ends.withLock { $0.first?.failure?.kind } == .cancelled)
  }

  @Test("The receiver of a call's end may start the next call, and stop") func fromInside() async throws {
    let server = try WebServer { _ in .answer(200) }
    let url = server.url
    let (ends, record) = AsyncStream.makeStream(of: AppCallEnd.self)
    let itself = Mutex<AppCaller?>(nil)
    let caller = try AppCaller { batch in
      for end in batch {
        record.yield(end)
        let caller = itself.withLock { $0 }
        if end.number < 5 {
          caller?.start([AppCall(number: end.number + 1, method: "GET", url: url)])
        } else {
          caller?.stop()
          itself.withLock { $0 = nil }
          record.finish()
        }
      }
    }
    itself.withLock { $0 = caller }
    caller.start([AppCall(number: 1, method: "GET", url: url)])
    var numbers: [UInt64] = []
    for await end in ends { numbers.append(end.number) }
    #expect(numbers == [1, 2, 3, 4, 5])
    await aside { caller.stop() }
  }

  @Test("A released caller reports all its calls; many threads may start, cancel and stop at once")
  func crowd() async throws {
    let server = try WebServer { _ in .answer(200) }
    let url = server.url
    for _ in 1...10 {
      let told = Told()
      await aside {
        guard let caller = try? AppCaller(finished: { told.add($0) }) else { return }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
          for step in 0..<50 {
            let number = UInt64(thread * 50 + step)
            caller.start([AppCall(number: number, method: "GET", url: url)])
            if number % 7 == 0 { caller.cancel([number]) }
            if thread == 7, step == 40 { caller.stop() }
          }
        }
      }
      #expect(told.all.sorted() == Array(0..<400))
    }
  }
}

/// The numbers of ended calls.
private final class Told: Sendable {
  private let numbers = Mutex<[UInt64]>([])

  func add(_ ends: [AppCallEnd]) { numbers.withLock { $0 += ends.map(\.number) } }
  var all: [UInt64] { numbers.withLock { $0 } }
}
