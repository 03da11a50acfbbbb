#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "interchange/onnx/inference.h"

// Rules of operators that work on each number alone. Exporters compute sizes by them, so small
// constants are followed; a result that does not fit is not known.
namespace waferloom::interchange {
namespace {

constexpr std::int64_t kLeastWhole = std::numeric_limits<std::int64_t>::min();

std::optional<std::int64_t> whole_result(const std::string& op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (op == "Add") return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == "Sub") return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == "Mul") return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  const bool is_divisible = b != 0 && (b != -1 || a != kLeastWhole);
  if (op == "Div" && is_divisible) return a / b;
  if (op == "Mod" && is_divisible) {
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  if (op == "Equal") return a == b ? 1 : 0;
  if (op == "Less") return a < b ? 1 : 0;
  if (op == "Greater") return a > b ? 1 : 0;
  if (op == "LessOrEqual") return a <= b ? 1 : 0;
  if (op == "GreaterOrEqual") return a >= b ? 1 : 0;
  if (op == "And") return a != 0 && b != 0 ? 1 : 0;
  if (op == "Or") return a != 0 || b != 0 ? 1 : 0;
  return std::nullopt;
}

std::optional<double> real_result(const std::string& op, double a, double b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Pow") return std::pow(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  return std::nullopt;
}

/// Where the element of a broadcast input lies that makes element `index` of the output.
std::size_t element_at(std::int64_t index, const Sizes& out, const Sizes& in) {
  std::int64_t place = 0;
  std::int64_t step = 1;
  for (std::size_t i = 1; i <= in.size(); ++i) {
    const std::int64_t size = out[out.size() - i];
    const std::int64_t at = index % size;
    index /= size;
    if (in[in.size() - i] != 1) place += at * step;
    step *= in[in.size() - i];
  }
  return static_cast<std::size_t>(place);
}

/// The numbers that two constants make; nothing where they are not known.
std::optional<Constant> combined(const std::string& op, const Value& left, const Value& right,
                                 const Sizes& out) {
  if (!left.constant || !right.constant) return std::nullopt;
  const Constant& a = *left.constant;
  const Constant& b = *right.constant;
  const std::int64_t count = elements_of(out);
  if (a.is_real != b.is_real || count > static_cast<std::int64_t>(kMostConstant)) {
    return std::nullopt;
  }
  Constant made;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t from_left = element_at(i, out, *left.sizes);
    const std::size_t from_right = element_at(i, out, *right.sizes);
    if (a.is_real) {
      const auto number = real_result(op, a.reals[from_left], b.reals[from_right]);
      if (!number) return std::nullopt;
      made.reals.push_back(*number);
    } else {
      const auto number = whole_result(op, a.wholes[from_left], b.wholes[from_right]);
      if (!number) return std::nullopt;
      made.wholes.push_back(*number);
    }
  }
  made.is_real = a.is_real;
  return made;
}

double unary_real(const std::string& op, double value) {
  if (op == "Floor") return std::floor(value);
  if (op == "Ceil") return std::ceil(value);
  if (op == "Sqrt") return std::sqrt(value);
  if (op == "Neg") return -value;
  if (op == "Abs") return std::abs(value);
  return std::numeric_limits<double>::quiet_NaN();
}

bool is_castable(double value) {
  constexpr double kMost = 9e18;
  return value > -kMost && value < kMost;
}

}  // namespace

void infer_same(Inference& at) {
  at.set(0, at.sizes(0));
  at.set_type(0, at.input(0).type);
}

void infer_all_same(Inference& at) {
  for (std::size_t i = 0; i < at.node().outputs.size(); ++i) at.set(i, at.sizes(0));
  at.set_type(0, at.input(0).type);
}

void infer_unary(Inference& at) {
  infer_same(at);
  const Constant* numbers = at.constant(0);
  if (numbers == nullptr) return;
  const std::string& op = at.node().op;
  Constant made = *numbers;
  if (op != "Identity") {
    for (double& value : made.reals) value = unary_real(op, value);
    for (std::int64_t& value : made.wholes) {
      if (op == "Not") {
        value = value == 0 ? 1 : 0;
      } else if ((op == "Neg" || (op == "Abs" && value < 0)) && value != kLeastWhole) {
        value = -value;
      } else if (op != "Abs" || value == kLeastWhole) {
        return;
      }
    }
  }
  at.set_constant(0, std::move(made));
}

void infer_arithmetic(Inference& at) {
  Sizes sizes = at.sizes(0);
  // Before operator set 7 the second input was aligned at an axis.
  const bool is_aligned = at.whole("broadcast", 0) != 0;
  for (std::size_t i = 1; i < at.input_count(); ++i) {
    if (!is_aligned) sizes = broadcast(at, sizes, at.sizes(i));
  }
  at.set(0, sizes);
  at.set_type(0, at.input(0).type);
  if (at.input_count() != 2 || is_aligned) return;
  auto made = combined(at.node().op, at.input(0), at.input(1), sizes);
  if (made) at.set_constant(0, std::move(*made));
}

void infer_comparison(Inference& at) {
  infer_arithmetic(at);
  at.set_type(0, ElementType::boolean);
}

void infer_where(Inference& at) {
  Sizes sizes = broadcast(at, broadcast(at, at.sizes(0), at.sizes(1)), at.sizes(2));
  at.set(0, sizes);
  at.set_type(0, at.input(1).type);
  const Constant* condition = at.constant(0);
  const Constant* yes = at.constant(1);
  const Constant* no = at.constant(2);
  std::optional<Constant> made;
  const std::int64_t count = elements_of(sizes);
  const bool are_wholes = condition != nullptr && yes != nullptr && no != nullptr &&
                          !condition->is_real && !yes->is_real && !no->is_real;
  if (are_wholes && count <= static_cast<std::int64_t>(kMostConstant)) {
    made.emplace();
    for (std::int64_t i = 0; i < count; ++i) {
      const bool is_met = condition->wholes[element_at(i, sizes, at.sizes(0))] != 0;
      made->wholes.push_back(is_met ? yes->wholes[element_at(i, sizes, at.sizes(1))]
                                    : no->wholes[element_at(i, sizes, at.sizes(2))]);
    }
  }
  if (made) at.set_constant(0, std::move(*made));
}

void infer_cast(Inference& at) {
  const bool is_like = at.has_input(1);
  const auto type = is_like ? at.input(1).type : static_cast<ElementType>(at.whole("to", 0));
  at.set(0, at.sizes(0));
  at.set_type(0, type);
  const Constant* numbers = at.constant(0);
  if (numbers == nullptr) return;
  Constant made;
  made.is_real = is_real(type);
  for (const std::int64_t number : numbers->wholes) {
    if (made.is_real) {
      made.reals.push_back(static_cast<double>(number));
    } else {
      made.wholes.push_back(type == ElementType::boolean ? (number != 0 ? 1 : 0) : number);
    }
  }
  for (const double number : numbers->reals) {
    if (made.is_real) {
      made.reals.push_back(number);
    } else if (is_castable(number)) {
      made.wholes.push_back(type == ElementType::boolean ? (number != 0 ? 1 : 0)
                                                         : static_cast<std::int64_t>(number));
    } else {
      return;
    }
  }
  at.set_constant(0, std::move(made));
}

void infer_layer_norm(Inference& at) {
  const Sizes& sizes = at.sizes(0);
  at.set(0, sizes);
  at.set_type(0, at.input(0).type);
  if (sizes.empty()) return;
  const std::size_t axis = at.axis(at.whole("axis", -1), sizes.size());
  Sizes statistics = sizes;
  std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(axis), statistics.end(), 1);
  at.set(1, statistics);
  at.set(2, std::move(statistics));
}

void infer_dynamic_quantize(Inference& at) {
  at.set(0, at.sizes(0));
  at.set(1, {});
  at.set(2, {});
}

void infer_loss(Inference& at) {
  const bool is_each = at.text("reduction", "mean") == "none";
  at.set(0, is_each ? at.sizes(1) : Sizes{});
  at.set(1, at.sizes(0));
}

}  // namespace waferloom::interchange
