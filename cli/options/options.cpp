#include "cli/options/options.h"

#include <fmt/format.h>

#include "cli/console/failure.h"
#include "model/text.h"
#include "model/workload.h"

namespace waferloom::cli {
namespace {

constexpr std::int64_t kMaxSeconds = 1'000'000;

[[noreturn]] void fail(const std::string& option, const std::string& expected,
                       const std::string& found) {
  throw Failure(FailureKind::usage,
                option + ": expected " + expected + ", found " + in_quotes(found));
}

}  // namespace

std::uint64_t parse_whole(const std::string& text, const std::string& option, WholeRange range) {
  const std::optional<std::uint64_t> value = parse_whole_number(text, range);
  if (!value) {
    fail(option, fmt::format("a whole number from {} to {}", range.least, range.most), text);
  }
  return *value;
}

Decimal6 parse_decimal(const std::string& text, const std::string& option) {
  const std::optional<Decimal6> value = parse_number6(text);
  if (!value) fail(option, "a number of at least 0 with at most six decimals", text);
  return *value;
}

std::vector<std::int64_t> split_numbers(const std::string& text, std::string_view separators) {
  std::vector<std::int64_t> numbers;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= separators.size(); ++i) {
    const std::size_t end = i < separators.size() ? text.find(separators[i], begin) : text.size();
    if (end == std::string::npos) return {};
    const auto value = parse_number6(text.substr(begin, end - begin));
    if (!value || value->millionths % Decimal6::kOne != 0 || *value > decimal6(kMaxWaferSide)) {
      return {};
    }
    numbers.push_back(value->millionths / Decimal6::kOne);
    begin = end + 1;
  }
  return numbers;
}

Wafer parse_mesh(const std::string& text, const std::string& option) {
  const std::vector<std::int64_t> sides = split_numbers(text, "x");
  if (sides.empty() || sides[0] < 1 || sides[1] < 1) {
    fail(option, fmt::format("WIDTHxHEIGHT with sides from 1 to {}", kMaxWaferSide), text);
  }
  return Wafer{sides[0], sides[1]};
}

std::chrono::microseconds parse_seconds(const std::string& text, const std::string& option) {
  const std::optional<Decimal6> value = parse_number6(text);
  if (!value || value->millionths == 0 || *value > decimal6(kMaxSeconds)) {
    fail(option, fmt::format("seconds above 0 and at most {}", kMaxSeconds), text);
  }
  return std::chrono::microseconds(value->millionths);
}

bool names_workload(const std::string& operand) {
  return workload_preset(operand).has_value() || operand.ends_with(".json");
}

}  // namespace waferloom::cli
