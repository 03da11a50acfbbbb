#include <fmt/format.h>
#include <openssl/evp.h>

#include "model/report.h"
#include "model/text.h"
#include "sweep/page.h"

// Problem: a page that can be mailed: no script, no other file, the data inside.
// Idea: pictures are SVG inside the page; the table is a link whose address is the file itself, in
// base 64 (RFC 2397).
namespace waferloom::sweep {
namespace {

constexpr const char* kStyle =
    "body{font-family:'DejaVu Sans',Verdana,sans-serif;margin:2em auto;padding:0 1.5em;"
    "max-width:72em;color:#1c2128}h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em;border-"
    "bottom:1px solid "
    "#dee2e6}table{border-collapse:collapse;font-size:.85em}td,th{padding:.2em .7em;text-align:"
    "left;border-bottom:1px solid #dee2e6}p.facts{color:#656d76}svg{max-width:100%;height:auto}";

std::string base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and the 0 behind it
  const auto* first = reinterpret_cast<const unsigned char*>(bytes.data());
  auto* coded = reinterpret_cast<unsigned char*>(text.data());
  const int length = EVP_EncodeBlock(coded, first, static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::string table_html(const PageSection& section) {
  if (section.heads.empty()) return "";
  std::string text = "<table>\n<tr>";
  for (const std::string& head : section.heads) text += "<th>" + escape_xml(head) + "</th>";
  text += "</tr>\n";
  for (const std::vector<std::string>& row : section.cells) {
    text += "<tr>";
    for (const std::string& cell : row) text += "<td>" + escape_xml(cell) + "</td>";
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

/// An SVG without what stands before its first element: it is part of a page.
std::string inline_svg(const std::string& svg) {
  const std::size_t begin = svg.find("<svg");
  return begin == std::string::npos ? svg : svg.substr(begin);
}

}  // namespace

std::string html_page(const PageHead& head, const std::vector<PageSection>& sections,
                      const CollectedTable& table) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
      escape_xml(head.title) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" +
      escape_xml(head.title) + "</h1>\n<p class=\"facts\">" + escape_xml(head.facts) + "</p>\n";
  std::string csv = csv_line(table.columns);
  for (const std::vector<std::string>& row : table.rows) csv += csv_line(row);
  text += fmt::format(
      "<p><a download=\"points.csv\" href=\"data:text/csv;base64,{}\">All {} points as "
      "CSV</a></p>\n",
      base64(csv), table.rows.size());
  for (const PageSection& section : sections) {
    text += "<h2>" + escape_xml(section.heading) + "</h2>\n";
    if (!section.note.empty()) text += "<p class=\"facts\">" + escape_xml(section.note) + "</p>\n";
    for (const std::string& picture : section.pictures) text += inline_svg(picture) + "\n";
    text += table_html(section);
  }
  return text + "</body>\n</html>\n";
}

}  // namespace waferloom::sweep
