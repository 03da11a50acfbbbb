#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom::test {

/// One element of an XML document; text is what stands directly in it, entities resolved.
struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  std::vector<XmlElement> children;

  double number(const std::string& attribute) const;
};

/// Reads an XML document with expat. Throws std::runtime_error at anything malformed.
XmlElement parse_xml(std::string_view text);

/// All elements, outer ones first, for which `wanted` holds.
std::vector<const XmlElement*> find_all(const XmlElement& root,
                                        const std::function<bool(const XmlElement&)>& wanted);
std::vector<const XmlElement*> elements_named(const XmlElement& root, const std::string& name);
std::vector<const XmlElement*> groups_of(const XmlElement& root, const std::string& kind);

/// Whether some <text> is exactly this.
bool has_text(const XmlElement& root, const std::string& text);

struct PngSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
/// Size in a PNG's header; 0 × 0 if it is none.
PngSize png_size(std::string_view bytes);

}  // namespace waferloom::test
