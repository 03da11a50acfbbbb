#include "tests/viz/canvas/picture_reader.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace waferloom::test {
namespace {

constexpr std::string_view kBlanks = " \n\t\r";

std::string resolved(std::string_view raw) {
  static const std::map<std::string_view, char> kEntities{
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"#39", '\''}};
  std::string text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto byte = static_cast<unsigned char>(raw[i]);
    if (raw[i] == '<') throw std::runtime_error("a bare < in text");
    if (byte < 0x20 && raw[i] != '\n') throw std::runtime_error("a control character");
    if (raw[i] != '&') {
      text += raw[i];
      continue;
    }
    const std::size_t end = raw.find(';', i);
    const auto entity =
        kEntities.find(raw.substr(i + 1, end == std::string_view::npos ? end : end - i - 1));
    if (entity == kEntities.end()) throw std::runtime_error("an unknown entity");
    text += entity->second;
    i = end;
  }
  return text;
}

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  XmlElement document() {
    expect("<?xml");
    until("?>");
    skip_blanks();
    expect("<");
    XmlElement root = element();
    skip_blanks();
    if (!text_.empty()) fail("text after the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " before \"" + std::string(text_.substr(0, 40)) + "\"");
  }
  bool take(std::string_view token) {
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail("expected " + std::string(token));
  }
  std::string_view until(std::string_view token) {
    const std::size_t end = text_.find(token);
    if (end == std::string_view::npos) fail("no " + std::string(token));
    const std::string_view part = text_.substr(0, end);
    text_.remove_prefix(end + token.size());
    return part;
  }
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(kBlanks), text_.size()));
  }
  std::string name() {
    const std::size_t end = text_.find_first_of(" \n\t\r=/>");
    if (end == 0 || end == std::string_view::npos) fail("expected a name");
    std::string found(text_.substr(0, end));
    text_.remove_prefix(end);
    return found;
  }

  /// Behind "<".
  XmlElement element() {
    XmlElement found;
    found.name = name();
    while (true) {
      skip_blanks();
      if (take("/>")) return found;
      if (take(">")) break;
      const std::string key = name();
      expect("=\"");
      if (!found.attributes.emplace(key, resolved(until("\""))).second) fail("attribute twice");
    }
    while (true) {
      found.text += resolved(until("<"));
      if (take("/")) break;
      found.children.push_back(element());
    }
    if (name() != found.name) fail("</" + found.name + "> expected");
    expect(">");
    return found;
  }

  std::string_view text_;
};

void collect(const XmlElement& element, const std::function<bool(const XmlElement&)>& wanted,
             std::vector<const XmlElement*>& found) {
  if (wanted(element)) found.push_back(&element);
  for (const XmlElement& child : element.children) collect(child, wanted, found);
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

double XmlElement::number(const std::string& attribute) const {
  std::size_t end = 0;
  const std::string& value = attributes.at(attribute);
  const double number = std::stod(value, &end);
  if (end != value.size()) throw std::runtime_error(attribute + " is no number: " + value);
  return number;
}

XmlElement parse_xml(std::string_view text) { return XmlReader(text).document(); }

std::vector<const XmlElement*> find_all(const XmlElement& root,
                                        const std::function<bool(const XmlElement&)>& wanted) {
  std::vector<const XmlElement*> found;
  collect(root, wanted, found);
  return found;
}

std::vector<const XmlElement*> elements_named(const XmlElement& root, const std::string& name) {
  return find_all(root, [&](const XmlElement& element) { return element.name == name; });
}

std::vector<const XmlElement*> groups_of(const XmlElement& root, const std::string& kind) {
  return find_all(root, [&](const XmlElement& element) {
    const auto found = element.attributes.find("class");
    return element.name == "g" && found != element.attributes.end() && found->second == kind;
  });
}

bool has_text(const XmlElement& root, const std::string& text) {
  return !find_all(root, [&](const XmlElement& element) {
            return element.name == "text" && element.text == text;
          }).empty();
}

PngSize png_size(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.size() < 24 || !bytes.starts_with("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv)) return {};
  return {big_endian(bytes.substr(16, 4)), big_endian(bytes.substr(20, 4))};
}

}  // namespace waferloom::test
