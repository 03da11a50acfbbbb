#include "tests/viz/canvas/picture_reader.h"

#include <expat.h>

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace waferloom::test {
namespace {

/// Builds a tree of elements from what expat tells of a document.
class TreeBuilder {
 public:
  void begin(const char* name, const char** attributes) {
    XmlElement element;
    element.name = name;
    for (; *attributes != nullptr; attributes += 2) {
      element.attributes.emplace(attributes[0], attributes[1]);
    }
    open_.push_back(std::move(element));
  }
  void add_text(std::string_view text) { open_.back().text += text; }
  void end() {
    XmlElement done = std::move(open_.back());
    open_.pop_back();
    if (open_.empty()) {
      root_ = std::move(done);
    } else {
      open_.back().children.push_back(std::move(done));
    }
  }
  XmlElement root() && { return std::move(root_); }

 private:
  std::vector<XmlElement> open_;
  XmlElement root_;
};

TreeBuilder& builder(void* data) { return *static_cast<TreeBuilder*>(data); }

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

XmlElement parse_xml(std::string_view text) {
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), XML_ParserFree);
  TreeBuilder tree;
  XML_SetUserData(parser.get(), &tree);
  XML_SetElementHandler(
      parser.get(),
      [](void* data, const char* name, const char** attributes) {
        builder(data).begin(name, attributes);
      },
      [](void* data, const char*) { builder(data).end(); });
  XML_SetCharacterDataHandler(parser.get(), [](void* data, const char* part, int length) {
    builder(data).add_text({part, static_cast<std::size_t>(length)});
  });
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) !=
      XML_STATUS_OK) {
    throw std::runtime_error(std::string(XML_ErrorString(XML_GetErrorCode(parser.get()))) +
                             " in line " + std::to_string(XML_GetCurrentLineNumber(parser.get())));
  }
  return std::move(tree).root();
}

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
