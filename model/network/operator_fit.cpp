#include "model/network/operator_fit.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <variant>

#include "model/network/checked_counts.h"

namespace waferloom {
namespace {

/// What an operator takes.
struct Taken {
  std::int64_t elements = 0;
  std::int64_t features = 0;  ///< of a token, where tokens may be left out; 0: they may not
  std::string text{};
};

std::string sizes_text(std::initializer_list<std::int64_t> sizes) {
  std::string text;
  for (const std::int64_t size : sizes)
    text += fmt::format("{}{}", text.empty() ? "" : " x ", size);
  return text;
}

/// Nothing: tokens and images come from outside, whatever stands before.
struct TakenBy {
  using Answer = std::optional<Taken>;
  Answer operator()(const LinearOperator& at) const {
    return Taken{product_of({at.rows, at.in_features}), at.in_features,
                 sizes_text({at.rows, at.in_features})};
  }
  Answer operator()(const ConvOperator& at) const { return image(at.window, at.in_channels); }
  Answer operator()(const PoolOperator& at) const { return image(at.window, at.channels); }
  Answer operator()(const TransformerOperator& at) const {
    return Taken{product_of({at.sequence, at.hidden}), 0, sizes_text({at.sequence, at.hidden})};
  }
  Answer operator()(const HeadOperator& at) const {
    return Taken{product_of({at.sequence, at.hidden}), at.hidden,
                 sizes_text({at.sequence, at.hidden})};
  }
  /// Both sides, one behind the other; who stands before a product of its own output fits as well.
  Answer operator()(const ProductOperator& at) const {
    return Taken{count(at).input, 0,
                 sizes_text({at.batch, at.rows, at.in_features}) + " and " +
                     sizes_text({at.batch, at.in_features, at.out_features})};
  }
  Answer operator()(const AddOperator& at) const {
    return Taken{at.elements, 0, std::to_string(at.elements)};
  }
  template <GraphKernel Kernel>
  Answer operator()(const Kernel& at) const {
    const std::int64_t input = count(at).input;
    return Taken{input, 0, std::to_string(input)};
  }
  Answer operator()(const EmbeddingOperator&) const { return std::nullopt; }
  Answer operator()(const PatchesOperator&) const { return std::nullopt; }

  static Taken image(const Window& window, std::int64_t channels) {
    return {product_of({window.in_height, window.in_width, channels}), 0,
            sizes_text({window.in_height, window.in_width, channels})};
  }
};

/// Whether an operator hands on tokens, of which others may take a few.
bool has_tokens(const OperatorKind& kind) {
  return !std::holds_alternative<ConvOperator>(kind) &&
         !std::holds_alternative<PoolOperator>(kind) &&
         !std::holds_alternative<AddOperator>(kind) && !is_graph_kernel(kind);
}

bool fits(const Taken& taken, const OperatorKind& kind, std::int64_t handed) {
  if (handed == taken.elements) return true;
  return taken.features > 0 && has_tokens(kind) && handed > taken.elements &&
         handed % taken.features == 0;
}

std::string unfitting_text(const Workload& workload, std::size_t place) {
  const Operator& op = workload.operators[place];
  const std::optional<Taken> taken = std::visit(TakenBy(), op.kind);
  if (!taken || op.after.empty()) return "";
  std::int64_t together = 0;
  bool fits_each = true;
  std::string names;
  std::string sizes;
  for (const std::size_t before : op.after) {
    const Operator& from = workload.operators[before];
    const std::int64_t handed = count(from.kind).output;
    together = sum_of({together, handed});
    fits_each = fits_each && fits(*taken, from.kind, handed);
    names += (names.empty() ? "" : ", ") + from.name;
    sizes += fmt::format("{}{}", sizes.empty() ? "" : " + ", handed);
  }
  if (fits_each || together == taken->elements) return "";
  return fmt::format("expected operators that fit: {} takes {}, {} elements; {} before it {} on {}",
                     op.name, taken->text, taken->elements, names,
                     op.after.size() == 1 ? "hands" : "hand", sizes);
}

}  // namespace

std::string unfitting_reason(const Workload& workload, std::size_t place) {
  try {
    return unfitting_text(workload, place);
  } catch (const std::overflow_error&) {
    return "";  // what is too large is told when all is counted
  }
}

}  // namespace waferloom
