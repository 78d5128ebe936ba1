/// The story as the first release told it: instants in milliseconds since the world began, and of a dead token in
/// nanoseconds since 1970.
enum PinnedStory {
  static let lines = #"""
    streams 1
    push 1, 0: E832EBB4-14BC-D5F0-EBF4-4033477A2DBF + 200 Delivered to Device
    streams 2
    push 2, 0: eabeae54-14a8-11e5-b60b-1697f925ec7b - 400 BadDeviceToken
    push 3, 0: 1E774CDB-4502-9189-4E42-CDB31BA6FA55 + 200 Delivered to Device
    activityStarted d1 app 0 activity 0 push at 0
    tokenYielded d1 app 0 pushToStart at 0
    activityYielded d1 app 0 activity 0 at 0
    tokenIssued d1 app 0 update activity 0 at 0
    tokenYielded d1 app 0 update activity 0 at 0
    push 4, 1500: FE3BFAFE-7A1E-A0A8-6E01-0E7FE4734891 + 200 Delivered to Device
    contentYielded d1 app 0 activity 0 at 1500
    wentOffline d1 app -1  at 1500
    push 5, 1500: 3904BB0C-8D6B-8AF7-050B-35DA0B0C4B0B + 200 Stored - Device Offline
    wentOnline d1 app -1  at 1500
    contentYielded d1 app 0 activity 0 at 1500
    push 5 on d1 at 1500: Delivered to Device (From Storage)
    tokenIssued d1 app 0 update activity 0 at 1500
    tokenYielded d1 app 0 update activity 0 at 1500
    appRemoved d2 app 0  at 1500
    tokenIssued d0 app 0 device at 1500
    push 6, 1500: 970AC29C-C46C-38DD-E150-508605EE6581 + 200 Discarded - Token Unregistered
    appSuspended d1 app 0  at 30000
    activityEnded d1 app 0 activity 0 lifeOver at 28800000
    push 7, 28801500: B4F30B12-E6FF-1E59-8467-8E365419C146 - 410 Unregistered since 1700000061500000000
    push 8, 28801500: 986F9208-AE29-3B86-5E42-0DBFCBFA55D0 - 410 ExpiredToken since 1700028800000000000
    activityDismissed d1 app 0 activity 0 at 43200000
    push 9, 115201500: 9D9346B0-404B-1FD2-C65C-C0A1AB5FB416 - 410 Unregistered since 1700066746895424883
    appInstalled d2 app 0  at 115201500
    unlocked d2 app -1  at 115201500
    screenLit d2 app -1  at 115201500
    appLaunched d2 app 0 byPerson at 115201500
    tokenIssued d2 app 0 device at 115201500
    tokenIssued d2 app 0 pushToStart at 115201500
    tokenIssued d2 app 0 pushToStart at 115201500
    tokenYielded d2 app 0 device at 115201500
    tokenYielded d2 app 0 voip at 115201500
    tokenYielded d2 app 0 pushToStart at 115201500
    tokenYielded d2 app 0 pushToStart at 115201500
    appForegrounded d2 app 0  at 115201500
    appBackgrounded d2 app 0  at 115201500
    locked d2 app -1  at 115201500
    screenDark d2 app -1  at 115201500
    closed 1
    """#.split(separator: "\n").map(String.init)
}
