#include "analysis/pickle_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <utility>

#include "data/error.hpp"

namespace ringpose::analysis::pickle {
namespace {

constexpr std::uint32_t kLastFourDigitCodePoint = 0xFFFF;

[[noreturn]] void fail(const std::string& reason) {
  throw data::FormatError("cannot read a Python pickle: " + reason);
}

/// Decodes one UTF-8 character and advances `place`; a malformed byte is taken as Latin-1.
std::uint32_t next_code_point(std::string_view utf8, std::size_t& place) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(utf8[i])); };
  const std::uint32_t first = byte(place++);
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (place + more > utf8.size()) return first;
  std::uint32_t code = more == 3 ? first & 0x07 : more == 2 ? first & 0x0F : more == 1 ? first & 0x1F : first;
  for (int i = 0; i < more; ++i) code = (code << 6) | (byte(place++) & 0x3F);
  return code;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  if (code < 0x10000) return put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
}

/// Python's raw-unicode-escape: Latin-1 bytes, and \uXXXX or \UXXXXXXXX for the rest.
std::string from_raw_unicode_escape(std::string_view raw) {
  std::string out;
  for (std::size_t i = 0; i < raw.size();) {
    const bool escape = raw[i] == '\\' && i + 1 < raw.size() && (raw[i + 1] == 'u' || raw[i + 1] == 'U');
    if (!escape) {
      append_utf8(out, static_cast<unsigned char>(raw[i++]));
      continue;
    }
    const std::size_t digits = raw[i + 1] == 'u' ? 4 : 8;
    std::uint32_t code = 0;
    if (i + 2 + digits > raw.size()) fail("a text escape is cut off");
    std::from_chars(raw.data() + i + 2, raw.data() + i + 2 + digits, code, 16);
    append_utf8(out, code);
    i += 2 + digits;
  }
  return out;
}

/// A stack machine, as pickle is: values, and marks that open a collection.
class Machine {
 public:
  explicit Machine(std::string_view bytes) : bytes_(bytes) {}

  Value run() {
    while (place_ < bytes_.size()) {
      const char operation = bytes_[place_++];
      if (operation == '.') return pop();
      step(operation);
    }
    fail("it is cut off");
  }

 private:
  struct Slot {
    Value value;
    bool mark = false;
  };

  std::string_view line() {
    const std::size_t end = bytes_.find('\n', place_);
    if (end == std::string_view::npos) fail("it is cut off");
    const auto text = bytes_.substr(place_, end - place_);
    place_ = end + 1;
    return text;
  }

  void push(Value value) { stack_.push_back({std::move(value), false}); }

  Value pop() {
    if (stack_.empty() || stack_.back().mark) fail("an object is missing");
    Value value = std::move(stack_.back().value);
    stack_.pop_back();
    return value;
  }

  Items pop_to_mark() {
    std::size_t mark = stack_.size();
    while (mark > 0 && !stack_[mark - 1].mark) --mark;
    if (mark == 0) fail("a collection has no beginning");
    Items items;
    for (std::size_t i = mark; i < stack_.size(); ++i) items.push_back(std::move(stack_[i].value));
    stack_.resize(mark - 1);
    return items;
  }

  void append(Items items) {
    if (stack_.empty()) fail("a collection is missing");
    // Instances of list subclasses (pandas' FrozenList) arrive as monostate; their items are kept.
    if (stack_.back().value.items() == nullptr) stack_.back().value.content = Items{};
    auto& target = std::get<Items>(stack_.back().value.content);
    for (Value& item : items) target.push_back(std::move(item));
  }

  void push_integer(std::string_view digits) {
    std::int64_t value = 0;
    if (!digits.empty() && digits.back() == 'L') digits.remove_suffix(1);
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    push({value});
  }

  void step(char operation) {
    switch (operation) {
      case '(':
        return stack_.push_back({{}, true});
      case 'l':
      case 't':
      case 'd':
        return push({pop_to_mark()});
      case 'a':
        return append_one();
      case 's':
        return append_pair();
      case 'V':
        return push({from_raw_unicode_escape(line())});
      case 'S':
        return push({unquoted(line())});
      case 'I':
      case 'L':
        return push_integer(line());
      case 'F':
        line();
        return push({});
      case 'N':
        return push({});
      case 'p':
        memo_[std::string(line())] = stack_.empty() ? Value{} : stack_.back().value;
        return;
      case 'g':
        return push(memo_[std::string(line())]);
      case 'c':
        line();
        line();
        return push({});
      case 'R':
        pop();
        pop();
        return push({});
      case 'b':
        pop();
        return;
      case '0':
        pop();
        return;
      default:
        fail(fmt::format("operation '{}' is not known (protocol 0 expected)", operation));
    }
  }

  void append_one() {
    Value item = pop();
    append({std::move(item)});
  }

  void append_pair() {
    Value value = pop();
    Value key = pop();
    append({std::move(key), std::move(value)});
  }

  static std::string unquoted(std::string_view quoted) {
    if (quoted.size() < 2) fail("a text has no quotes");
    return std::string(quoted.substr(1, quoted.size() - 2));
  }

  std::string_view bytes_;
  std::size_t place_ = 0;
  std::vector<Slot> stack_;
  std::map<std::string, Value> memo_;
};

}  // namespace

Value parse(std::string_view pickle) {
  return Machine(pickle).run();
}

std::string text(std::string_view utf8) {
  std::string out = "V";
  for (std::size_t place = 0; place < utf8.size();) {
    const std::uint32_t code = next_code_point(utf8, place);
    const bool plain = code >= 0x20 && code < 0x7F && code != '\\';
    if (plain)
      out += static_cast<char>(code);
    else if (code <= kLastFourDigitCodePoint)
      out += fmt::format("\\u{:04x}", code);
    else
      out += fmt::format("\\U{:08x}", code);
  }
  return out + "\n";
}

std::string integer(std::int64_t value) {
  return fmt::format("I{}\n", value);
}

std::string tuple(const std::vector<std::string>& pieces) {
  std::string out = "(";
  for (const auto& piece : pieces) out += piece;
  return out + "t";
}

std::string list(const std::vector<std::string>& pieces) {
  std::string out = "(l";
  for (const auto& piece : pieces) out += piece + "a";
  return out;
}

std::string dictionary(const std::vector<std::string>& pieces) {
  std::string out = "(d";
  for (std::size_t i = 0; i + 1 < pieces.size(); i += 2) out += pieces[i] + pieces[i + 1] + "s";
  return out;
}

std::string complete(const std::string& piece) {
  return piece + ".";
}

}  // namespace ringpose::analysis::pickle
