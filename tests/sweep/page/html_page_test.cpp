#include <doctest/doctest.h>

#include "sweep/page.h"

using namespace waferloom::sweep;

TEST_CASE("a page holds the table in base 64, and nothing unescaped") {
  // RFC 4648's examples, of 3, 4 and 5 bytes with the line end.
  for (const auto& [cell, coded] :
       {std::pair{"fo", "Zm8K"}, std::pair{"foo", "Zm9vCg=="}, std::pair{"foob", "Zm9vYgo="}}) {
    const std::string page = html_page({"t", ""}, {}, {{cell}, {}, 0});
    CHECK(page.find("base64," + std::string(coded) + "\"") != std::string::npos);
  }
  const PageSection section{.heading = "<h>",
                            .pictures = {"<?xml version=\"1.0\"?>\n<svg id=\"p\"/>"},
                            .heads = {"a&b"},
                            .cells = {{"\"c\""}},
                            .note = "n"};
  const std::string page = html_page({"<t>", "1 < 2"}, {section}, {{"x"}, {{"1"}}, 0});
  for (const char* part :
       {"<title>&lt;t&gt;</title>", "1 &lt; 2", "<h2>&lt;h&gt;</h2>", "<th>a&amp;b</th>",
        "<td>&quot;c&quot;</td>", "<svg id=\"p\"/>", "All 1 points as CSV"}) {
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page.find("<?xml") == std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
}
