import PushpitTesting
import Testing

@Suite("A value of JSON")
struct JSONTests {
  private let value: JSON = ["text": "a", "number": 2, "half": 0.5, "truth": true, "none": nil, "list": [1, "b"]]

  @Test("a JSON value is read by names and indexes, and is null where nothing is")
  func reading() {
    #expect(value["text"].string == "a" && value["number"].int == 2 && value["half"].double == 0.5)
    #expect(value["truth"].bool == true && value["none"].isNull && value["list"][1].string == "b")
    #expect(value["missing"].isNull && value["list"][2].isNull && value["text"]["deeper"][0].isNull)
    #expect(value["text"].int == nil && value["half"].int == nil && value["list"].object == nil)
  }

  @Test("a JSON value is written as JSON text")
  func writing() {
    let text = #"{"text":"a","number":2,"half":0.5,"truth":true,"none":null,"list":[1,"b"]}"#
    #expect(value.description == text)
    #expect(JSON(["b": 1, "a": JSON([JSON("x")])]).description == #"{"a":["x"],"b":1}"#)
  }
}
