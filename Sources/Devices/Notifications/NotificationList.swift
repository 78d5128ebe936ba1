import Timeline
import WireFormats

/// What an app has in the Notification Center of one device, and the badge on its icon.
package struct NotificationList: Hashable, Sendable {
  /// Notifications kept in the list. Assumed: iOS has a bound, too, and does not say which.
  package static let most = 64

  /// The newest first.
  package private(set) var shown: [ShownNotification] = []
  /// The one that was just tapped: its app is opened with it after it has left the list.
  private var tapped: ShownNotification?
  /// Bytes that the list is charged with.
  private(set) var memory = 0
  package private(set) var badge = 0
  private var nextNumber: UInt32 = 0

  package init() {}

  /// A push with a notification arrives: one guard per rule, in the order the phone applies them.
  ///
  /// - Parameters:
  ///   - body: the bytes that the payload was read from.
  ///   - collapseID: `apns-collapse-id`.
  package mutating func receive(
    _ payload: NotificationPayload, _ body: ArraySlice<UInt8>, collapseID: String?, _ here: NotificationContext,
    at now: Instant
  ) -> Presentation {
    guard payload.hasVisible else { return Presentation(.nothing, .nothingToShow) }
    guard here.permission != .denied else { return Presentation(.nothing, .permissionDenied) }
    guard here.permission != .notDetermined else { return Presentation(.nothing, .notDetermined) }
    guard here.app != .frontHiding else { return Presentation(.nothing, .foreground) }
    let newBadge = here.permission.allowsSoundAndBadge ? payload.badge : nil
    if let newBadge { badge = newBadge }
    let (shape, cause) = Self.manner(of: payload, here)
    let sound =
      shape == .banner
      ? payload.sound?.played(from: here.sounds, allowsCritical: here.allowsCritical) : nil
    guard let alert = payload.alert?.rendered(here.strings, in: here.language), !alert.isEmpty else {
      return Presentation(.nothing, .noText, sound: sound, badge: newBadge)
    }
    let replaced = remove(collapseID: collapseID)
    let notification = ShownNotification(
      number: nextNumber, collapseID: collapseID, payload: Array(body), sound: sound,
      interruption: payload.interruption, at: now, isQuiet: shape == .listOnly)
    nextNumber &+= 1
    if shown.count >= Self.most { _ = forgetOldest() }
    // Observed: a notification that is updated is pushed to the top (WWDC16 707, as developers retell it).
    shown.insert(notification, at: 0)
    memory += notification.memory
    return Presentation(
      shape, cause, number: notification.number, replaced: replaced, alert: alert, sound: sound, badge: newBadge,
      lightsScreen: shape == .banner && !here.isScreenOn)
  }

  /// Whether a notification that may be shown disturbs. Only a banner sounds.
  private static func manner(
    of payload: NotificationPayload, _ here: NotificationContext
  ) -> (Presentation.Shape, PresentationCause) {
    guard here.permission != .provisional else { return (.listOnly, .provisional) }
    // Documented: a sound dictionary with `critical` is as good as the level. Assumed: without leave, both count as
    // active.
    let asksCritical = payload.interruption == .critical || payload.sound?.isCritical ?? false
    guard !asksCritical || !here.allowsCritical else { return (.banner, .critical) }
    guard payload.interruption != .passive else { return (.listOnly, .passive) }
    guard here.isFocusOn else { return (.banner, .shown) }
    guard payload.interruption == .timeSensitive, here.allowsTimeSensitive else { return (.listOnly, .focus) }
    return (.banner, .timeSensitive)
  }

  private mutating func remove(collapseID: String?) -> UInt32? {
    guard let collapseID, let index = shown.firstIndex(where: { $0.collapseID == collapseID }) else { return nil }
    return remove(at: index).number
  }

  private mutating func remove(at index: Int) -> ShownNotification {
    let notification = shown.remove(at: index)
    memory -= notification.memory
    return notification
  }

  /// The oldest gives way.
  mutating func forgetOldest() -> ShownNotification? { shown.isEmpty ? nil : remove(at: shown.count - 1) }

  // MARK: - What a person and the app do with it

  /// One of the list, or the one that was just tapped.
  package func notification(_ number: UInt32) -> ShownNotification? {
    shown.first { $0.number == number } ?? tapped.flatMap { $0.number == number ? $0 : nil }
  }

  /// The user taps one: it leaves the list, and the app opens with its payload.
  package mutating func tap(_ number: UInt32) -> ShownNotification? {
    guard let index = shown.firstIndex(where: { $0.number == number }) else { return nil }
    let notification = remove(at: index)
    tapped = notification
    return notification
  }

  /// Its app has been told.
  mutating func forgetTapped() { tapped = nil }

  /// The user swipes one away.
  ///
  /// - Returns: false when it is not there.
  package mutating func dismiss(_ number: UInt32) -> Bool {
    shown.firstIndex { $0.number == number }.map { remove(at: $0) } != nil
  }

  /// The user clears the list. Assumed: the badge stays, as it is the app's.
  ///
  /// - Returns: how many there were.
  @discardableResult
  package mutating func clear() -> Int {
    defer {
      shown = []
      memory = 0
    }
    return shown.count
  }

  /// The app sets its badge itself; a number below zero clears it.
  package mutating func setBadge(_ number: Int) { badge = max(0, number) }
}
