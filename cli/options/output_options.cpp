#include "cli/options/output_options.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace waferloom::cli {
namespace {

constexpr std::array<std::string_view, 14> kOutputs{
    "output", "file",    "draw",     "svg",   "png",      "animation", "csv",
    "links",  "heatmap", "timeline", "trace", "roofline", "case",      "run"};

}  // namespace

bool is_output(const std::string& command, const OptionSpec& option) {
  if (command == "plan" && option.name == "placement") return true;
  return std::find(kOutputs.begin(), kOutputs.end(), option.name) != kOutputs.end() &&
         std::holds_alternative<std::monostate>(option.range) && !option.value.empty();
}

}  // namespace waferloom::cli
