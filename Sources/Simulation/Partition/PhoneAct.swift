import APNs
import Devices
import Timeline

/// What a phone is asked to do; it says whether it could.
typealias PhoneAct = (inout Phone, PhoneModel, inout PhoneNews) -> Bool
