#include "CSimdjson.h"

#include <simdjson.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

using simdjson::dom::element;

// Deepest nesting that is read; the stack of whoever walks the tree must bear it. Foundation's decoder stops at 512.
static constexpr size_t deepest = 512;
// A parser that has read a long document gives its memory back with the next short one.
static constexpr size_t kept = 64 * 1024;

static_assert(sizeof(element) == sizeof(csj_value), "an element is a document and an index");
static_assert(std::is_trivially_copyable<element>::value, "an element may be carried as bytes");

using elements = simdjson::dom::array::iterator;
using members = simdjson::dom::object::iterator;

static_assert(sizeof(elements) == sizeof(csj_value) && sizeof(members) == sizeof(csj_value), "so is an iterator");
static_assert(std::is_trivially_copyable<elements>::value && std::is_trivially_copyable<members>::value, "likewise");

static element from(csj_value value) {
  element result;
  std::memcpy(static_cast<void *>(&result), &value, sizeof value);
  return result;
}

static csj_value to(element value) {
  csj_value result;
  std::memcpy(&result, static_cast<const void *>(&value), sizeof result);
  return result;
}

template <typename Iterator> static csj_value place(Iterator iterator) {
  csj_value result;
  std::memcpy(&result, static_cast<const void *>(&iterator), sizeof result);
  return result;
}

template <typename Iterator> static Iterator iterator(csj_value place) {
  Iterator result;
  std::memcpy(static_cast<void *>(&result), &place, sizeof place);
  return result;
}

// A parser's document dies with its next one, so a document that is read while another is open has a parser of its own.
static constexpr unsigned most_open = 8;

struct reader {
  simdjson::dom::parser parsers[most_open];
  unsigned open = 0;
};

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static bool fits_64_bits(const std::string &whole) {
  errno = 0;
  if (whole[0] == '-') std::strtoll(whole.c_str(), nullptr, 10);
  else std::strtoull(whole.c_str(), nullptr, 10);
  return errno == 0;
}

static size_t digits(const std::string &text, size_t from) {
  size_t end = from;
  while (end < text.size() && is_digit(text[end])) end++;
  return end - from;
}

// The grammar of a number in JSON; strtod accepts more.
static bool is_number(const std::string &text) {
  size_t place = text[0] == '-' ? 1 : 0;
  size_t count = digits(text, place);
  if (count == 0 || (count > 1 && text[place] == '0')) return false;
  place += count;
  if (place < text.size() && text[place] == '.') {
    count = digits(text, place + 1);
    if (count == 0) return false;
    place += 1 + count;
  }
  if (place < text.size() && (text[place] | 0x20) == 'e') {
    place++;
    if (place < text.size() && (text[place] == '+' || text[place] == '-')) place++;
    count = digits(text, place);
    if (count == 0) return false;
    place += count;
  }
  return place == text.size();
}

// Appends a number that the parser does not hold as a double that it does, and any other as it is. True if it was
// changed.
//
// Observed: Foundation reads an integer that is too large as a double. Assumed: a number beyond every double is the
// largest one, because simdjson has no infinity.
static bool append_number(const std::string &number, std::string &text) {
  const double value = std::strtod(number.c_str(), nullptr);
  const bool is_whole = number.find_first_of(".eE") == std::string::npos;
  if (!is_number(number) || (is_whole ? fits_64_bits(number) : std::isfinite(value))) {
    text += number;
    return false;
  }
  // The nearest double of this and some integers below is the smallest of 64 bits, which none of them is.
  if (value == -9223372036854775808.0) text += "-9223372036854777856.0";
  else text += std::isfinite(value) ? number + ".0" : value > 0 ? "1.7976931348623157e308" : "-1.7976931348623157e308";
  return true;
}

// The document with its numbers as above; empty if none was changed. JSON limits no number (RFC 8259, section 6).
static std::string with_doubles(const uint8_t *bytes, size_t count) {
  std::string text;
  bool is_changed = false;
  bool is_quoted = false;
  for (size_t index = 0; index < count; index++) {
    const char byte = static_cast<char>(bytes[index]);
    if (is_quoted || !(byte == '-' || is_digit(byte))) {
      text += byte;
      if (byte == '"') is_quoted = !is_quoted;
      if (is_quoted && byte == '\\' && index + 1 < count) text += static_cast<char>(bytes[++index]);
      continue;
    }
    size_t end = index;
    while (end < count && bytes[end] != 0 && (is_digit(bytes[end]) || std::strchr("+-.eE", bytes[end]))) end++;
    is_changed |= append_number(std::string(reinterpret_cast<const char *>(bytes) + index, end - index), text);
    index = end - 1;
  }
  return is_changed ? text : std::string();
}

static reader &mine() {
  static thread_local reader one;
  return one;
}

extern "C" {

int csj_parse(const uint8_t *bytes, size_t count, csj_value *root) {
  reader &reader = mine();
  if (reader.open == most_open) return simdjson::DEPTH_ERROR;
  simdjson::dom::parser &parser = reader.parsers[reader.open];
  if (parser.capacity() < count || parser.max_depth() != deepest || (parser.capacity() > kept && count < kept)) {
    auto error = parser.allocate(count < kept ? kept : count, deepest);
    if (error) return error;
  }
  element result;
  // simdjson reads a few bytes past the end; it copies into its own padded buffer (the `true`).
  auto error = parser.parse(bytes, count, true).get(result);
  if (error == simdjson::NUMBER_ERROR) {
    const std::string text = with_doubles(bytes, count);
    if (!text.empty() && text.size() > parser.capacity() && parser.allocate(text.size(), deepest)) return error;
    if (!text.empty()) error = parser.parse(text.data(), text.size(), true).get(result);
  }
  if (error) return error;
  *root = to(result);
  reader.open++;
  return 0;
}

void csj_close(void) {
  reader &reader = mine();
  if (reader.open > 0) reader.open--;
}

const char *csj_error_text(int code) {
  return simdjson::error_message(static_cast<simdjson::error_code>(code));
}

csj_type csj_type_of(csj_value value) {
  switch (from(value).type()) {
  case simdjson::dom::element_type::ARRAY: return CSJ_ARRAY;
  case simdjson::dom::element_type::OBJECT: return CSJ_OBJECT;
  case simdjson::dom::element_type::INT64: return CSJ_INT;
  case simdjson::dom::element_type::UINT64: return CSJ_UINT;
  case simdjson::dom::element_type::DOUBLE: return CSJ_DOUBLE;
  case simdjson::dom::element_type::STRING: return CSJ_STRING;
  case simdjson::dom::element_type::BOOL: return CSJ_BOOL;
  case simdjson::dom::element_type::NULL_VALUE: return CSJ_NULL;
  }
  return CSJ_NULL;
}

bool csj_bool(csj_value value) {
  bool result = false;
  return !from(value).get(result) && result;
}

int64_t csj_int(csj_value value) {
  int64_t result = 0;
  return from(value).get(result) ? 0 : result;
}

uint64_t csj_uint(csj_value value) {
  uint64_t result = 0;
  return from(value).get(result) ? 0 : result;
}

double csj_double(csj_value value) {
  double result = 0;
  return from(value).get(result) ? 0 : result;
}

csj_text csj_string(csj_value value) {
  std::string_view text;
  if (from(value).get(text)) return {nullptr, 0};
  return {text.data(), text.size()};
}

void csj_each(csj_value container, void *context, csj_visit visit) {
  element value = from(container);
  simdjson::dom::array array;
  if (!value.get(array)) {
    for (element item : array) {
      if (!visit(context, {nullptr, 0}, to(item))) return;
    }
    return;
  }
  simdjson::dom::object object;
  if (!value.get(object)) {
    for (auto member : object) {
      if (!visit(context, {member.key.data(), member.key.size()}, to(member.value))) return;
    }
  }
}

unsigned csj_members(csj_value object, const csj_text *keys, unsigned count, csj_value *found) {
  simdjson::dom::object members;
  if (from(object).get(members)) return 0;
  unsigned present = 0;
  for (auto member : members) {
    for (unsigned index = 0; index < count; index++) {
      if (member.key.size() == keys[index].count &&
          std::memcmp(member.key.data(), keys[index].bytes, keys[index].count) == 0) {
        found[index] = to(member.value);
        present |= 1u << index;
      }
    }
  }
  return present;
}

bool csj_member(csj_value object, const char *key, size_t count, csj_value *found) {
  simdjson::dom::object members;
  if (from(object).get(members)) return false;
  std::string_view wanted(key, count);
  bool any = false;
  for (auto member : members) {
    if (member.key == wanted) {
      *found = to(member.value);
      any = true;
    }
  }
  return any;
}

bool csj_first_member(csj_value object, const char *key, size_t count, csj_value *found) {
  simdjson::dom::object members;
  if (from(object).get(members)) return false;
  std::string_view wanted(key, count);
  auto end = members.end();
  for (auto member = members.begin(); member != end; ++member) {
    auto name = member.key();
    // Names of one length mostly differ in a letter at their ends; a call of memcmp each was the larger part of this.
    if (name.size() != count) continue;
    if (count && (name[0] != wanted[0] || name[count - 1] != wanted[count - 1])) continue;
    if (name != wanted) continue;
    *found = to(member.value());
    return true;
  }
  return false;
}

size_t csj_count(csj_value container) {
  element value = from(container);
  simdjson::dom::array array;
  if (!value.get(array)) return array.size();
  simdjson::dom::object object;
  if (!value.get(object)) return object.size();
  return 0;
}

csj_cursor csj_open(csj_value container) {
  element value = from(container);
  simdjson::dom::array array;
  if (!value.get(array)) return {place(array.begin()), place(array.end()).index, false};
  simdjson::dom::object object;
  if (!value.get(object)) return {place(object.begin()), place(object.end()).index, true};
  return {container, container.index, false};
}

bool csj_next(csj_cursor *cursor, csj_text *key, csj_value *item) {
  if (cursor->at.index >= cursor->end) return false;
  if (cursor->is_object) {
    auto member = iterator<members>(cursor->at);
    auto name = member.key();
    *key = {name.data(), name.size()};
    *item = to(member.value());
    cursor->at = place(++member);
  } else {
    auto place_of = iterator<elements>(cursor->at);
    *key = {nullptr, 0};
    *item = to(*place_of);
    cursor->at = place(++place_of);
  }
  return true;
}
}
