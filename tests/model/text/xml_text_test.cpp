#include <doctest/doctest.h>

#include "model/text.h"

namespace waferloom {
namespace {

TEST_CASE("clean_text keeps what is well formed") {
  CHECK(clean_text("") == "");
  CHECK(clean_text("k1 × Größe 層 😀") == "k1 × Größe 層 😀");
}

TEST_CASE("clean_text replaces what XML and Cairo refuse") {
  CHECK(clean_text("a\x01"
                   "b\nc\x7f") == "a\uFFFDb\uFFFDc\uFFFD");
  CHECK(clean_text("\xff\xfe") == "\uFFFD\uFFFD");
  CHECK(clean_text("\xc3") == "\uFFFD");                                // cut off
  CHECK(clean_text("\xc0\xaf") == "\uFFFD\uFFFD");                      // overlong /
  CHECK(clean_text("\xe0\x80\xaf") == "\uFFFD\uFFFD\uFFFD");            // overlong in three bytes
  CHECK(clean_text("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");            // surrogate
  CHECK(clean_text("\xf4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
  CHECK(clean_text("\xef\xbf\xbf") == "\uFFFD");                        // U+FFFF
}

TEST_CASE("escape_xml makes text safe for content and attributes") {
  CHECK(escape_xml("<a href=\"x\">'&'</a>") ==
        "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

}  // namespace
}  // namespace waferloom
