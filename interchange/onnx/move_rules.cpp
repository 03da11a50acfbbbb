#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "interchange/onnx/graph_reader.h"
#include "interchange/onnx/inference.h"
#include "kernels/int128.h"

// Rules of operators that move numbers without a change, and of those that tell sizes.
namespace waferloom::interchange {
namespace {

Constant whole_constant(std::vector<std::int64_t> numbers) {
  return {std::move(numbers), {}, false};
}

/// Hands on the numbers of an input that are neither moved nor changed.
void keep_constant(Inference& at) {
  if (const Constant* numbers = at.constant(0)) at.set_constant(0, *numbers);
}

Constant picked(const Constant& from, const std::vector<std::size_t>& places) {
  Constant made;
  made.is_real = from.is_real;
  for (const std::size_t place : places) {
    if (from.is_real) {
      made.reals.push_back(from.reals[place]);
    } else {
      made.wholes.push_back(from.wholes[place]);
    }
  }
  return made;
}

/// What a slice asks for along one axis: numbers from the end are negative.
struct AskedRange {
  std::int64_t start;
  std::int64_t end;
  std::int64_t step;
};

TakenRange taken_range(const Inference& at, std::int64_t size, const AskedRange& asked) {
  const std::int64_t step = asked.step;
  if (step == 0 || step == std::numeric_limits<std::int64_t>::min()) {
    at.fail("expected steps other than 0");
  }
  const std::int64_t most = step > 0 ? size : size - 1;
  const std::int64_t least = step > 0 ? 0 : -1;
  // Numbers from the end; what lies beyond the size is cut off.
  const auto place = [&](std::int64_t value, std::int64_t lowest) {
    if (value < 0) value = value < -size ? lowest : value + size;
    return std::clamp(value, lowest, most);
  };
  TakenRange taken{place(asked.start, step > 0 ? 0 : std::max<std::int64_t>(least, 0)), step, 0};
  const std::int64_t last = place(asked.end, least);
  if (size == 0) return taken;
  const std::int64_t span = step > 0 ? last - taken.start : taken.start - last;
  const std::int64_t stride = step > 0 ? step : -step;
  if (span > 0) taken.count = (span - 1) / stride + 1;
  return taken;
}

/// The inputs of Slice, or its attributes before operator set 10.
struct SliceNumbers {
  const std::vector<std::int64_t>* starts;
  const std::vector<std::int64_t>* ends;
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> steps;
};

bool slice_numbers(const Inference& at, SliceNumbers& found) {
  found.starts = at.wholes(1, "starts");
  found.ends = at.wholes(2, "ends");
  if (found.starts == nullptr || found.ends == nullptr) return false;
  const std::size_t count = found.starts->size();
  if (count != found.ends->size()) at.fail("expected as many starts as ends");
  const auto* axes = at.wholes(3, "axes");
  const auto* steps = at.wholes(4, "");
  if ((axes == nullptr && at.has_input(3)) || (steps == nullptr && at.has_input(4))) return false;
  found.axes.resize(count);
  std::iota(found.axes.begin(), found.axes.end(), 0);
  if (axes != nullptr) found.axes = *axes;
  found.steps.assign(count, 1);
  if (steps != nullptr) found.steps = *steps;
  if (found.axes.size() != count || found.steps.size() != count) {
    at.fail("expected an axis and a step for each start");
  }
  return true;
}

}  // namespace

void infer_shape(Inference& at) {
  const Sizes& sizes = at.sizes(0);
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const auto place = [&](std::int64_t value) {
    return std::clamp<std::int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  const std::int64_t first = place(at.whole("start", 0));
  const std::int64_t last = std::max(first, place(at.whole("end", rank)));
  at.set(0, {last - first});
  at.set_type(0, ElementType::int64);
  at.set_constant(0, whole_constant({sizes.begin() + first, sizes.begin() + last}));
}

void infer_size(Inference& at) {
  at.set(0, {});
  at.set_type(0, ElementType::int64);
  at.set_constant(0, whole_constant({elements_of(at.sizes(0))}));
}

void infer_constant(Inference& at) {
  using Kind = NodeAttribute::Kind;
  for (const auto& [name, attribute] : at.node().attributes) {
    const auto count = [](const auto& numbers) {
      return static_cast<std::int64_t>(numbers.size());
    };
    if (attribute.kind == Kind::tensor) {
      at.set(0, attribute.sizes);
      at.set_type(0, attribute.type);
      if (attribute.constant) at.set_constant(0, *attribute.constant);
    } else if (attribute.kind == Kind::whole || attribute.kind == Kind::wholes) {
      const bool is_list = attribute.kind == Kind::wholes;
      at.set(0, is_list ? Sizes{count(attribute.wholes)} : Sizes{});
      at.set_type(0, ElementType::int64);
      at.set_constant(0, whole_constant(is_list ? attribute.wholes : std::vector{attribute.whole}));
    } else if (attribute.kind == Kind::real || attribute.kind == Kind::reals) {
      const bool is_list = attribute.kind == Kind::reals;
      at.set(0, is_list ? Sizes{count(attribute.reals)} : Sizes{});
      at.set_type(0, ElementType::float32);
      at.set_constant(0, {{}, is_list ? attribute.reals : std::vector{attribute.real}, true});
    }
  }
}

void infer_constant_of_shape(Inference& at) {
  const NodeAttribute* value = at.attribute("value", NodeAttribute::Kind::tensor);
  at.set_type(0, value == nullptr ? ElementType::float32 : value->type);
  const auto* sizes = at.wholes(0, "");
  if (sizes == nullptr) return;
  at.set(0, *sizes);
  const std::int64_t count = elements_of(*sizes);
  if (count > static_cast<std::int64_t>(kMostConstant)) return;
  if (value == nullptr || !value->constant || value->constant->size() != 1) return;
  at.set_constant(
      0, picked(*value->constant, std::vector<std::size_t>(static_cast<std::size_t>(count), 0)));
}

void infer_range(Inference& at) {
  at.set_type(0, at.input(0).type);
  std::array<const Constant*, 3> ends{at.constant(0), at.constant(1), at.constant(2)};
  for (const Constant* end : ends) {
    if (end == nullptr || end->size() != 1 || end->is_real != ends[0]->is_real) return;
  }
  if (ends[0]->is_real) {
    const double count = std::ceil((ends[1]->reals[0] - ends[0]->reals[0]) / ends[2]->reals[0]);
    if (!(count < static_cast<double>(kMostElements))) at.fail("expected a range that ends");
    at.set(0, {static_cast<std::int64_t>(std::max(count, 0.0))});
    return;
  }
  const std::int64_t start = ends[0]->wholes[0];
  const std::int64_t step = ends[2]->wholes[0];
  if (step == 0) at.fail("expected a step other than 0");
  const Int128 span = Int128{ends[1]->wholes[0]} - start;
  const Int128 stride = step;
  Int128 count = span / stride + (span % stride != 0 && (span < 0) == (stride < 0) ? 1 : 0);
  count = std::max<Int128>(count, 0);
  if (count > kMostElements) at.fail("expected a range of at most 2^50 numbers");
  at.set(0, {static_cast<std::int64_t>(count)});
  if (count > static_cast<Int128>(kMostConstant)) return;
  std::vector<std::int64_t> numbers;
  for (Int128 i = 0; i < count; ++i) {
    numbers.push_back(static_cast<std::int64_t>(start + i * stride));
  }
  at.set_constant(0, whole_constant(std::move(numbers)));
}

void infer_reshape(Inference& at) {
  at.set_type(0, at.input(0).type);
  const auto* wanted = at.wholes(1, "shape");
  if (wanted == nullptr) return;
  const Sizes& in = at.sizes(0);
  Sizes out = *wanted;
  const bool allows_zero = at.whole("allowzero", 0) != 0;
  std::size_t open = out.size();
  Int128 known = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && !allows_zero) out[i] = i < in.size() ? in[i] : 0;
    if (out[i] == -1) {
      if (open < out.size())
        at.fail("expected at most one size of -1, found " + sizes_text(*wanted));
      open = i;
      continue;
    }
    if (out[i] < 0 || (known *= out[i]) > kMostElements) {
      at.fail("expected sizes, found " + sizes_text(*wanted));
    }
  }
  const std::int64_t elements = elements_of(in);
  if (open < out.size() && known > 0) out[open] = static_cast<std::int64_t>(elements / known);
  if (open < out.size() && known == 0) out[open] = 0;
  at.set(0, out);
  if (elements_of(out) != elements) {
    at.fail(fmt::format("expected {} elements of {}, found {}", elements, sizes_text(in),
                        sizes_text(*wanted)));
  }
  keep_constant(at);
}

void infer_flatten(Inference& at) {
  const Sizes& in = at.sizes(0);
  const std::int64_t named = at.whole("axis", 1);
  const auto rank = static_cast<std::int64_t>(in.size());
  if (named < -rank || named > rank) at.fail("expected an axis within the input");
  const auto middle = in.begin() + (named < 0 ? named + rank : named);
  at.set(0, {elements_of({in.begin(), middle}), elements_of({middle, in.end()})});
  at.set_type(0, at.input(0).type);
  keep_constant(at);
}

void infer_transpose(Inference& at) {
  const Sizes& in = at.sizes(0);
  const NodeAttribute* order = at.attribute("perm", NodeAttribute::Kind::wholes);
  Sizes out(in.rbegin(), in.rend());
  if (order != nullptr) {
    std::vector<bool> is_taken(in.size(), false);
    if (order->wholes.size() != in.size()) at.fail("expected an order of all sizes");
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t from = at.axis(order->wholes[i], in.size());
      if (is_taken[from]) at.fail("expected an order of all sizes");
      is_taken[from] = true;
      out[i] = in[from];
    }
  }
  const bool is_vector = in.size() <= 1;
  at.set(0, std::move(out));
  at.set_type(0, at.input(0).type);
  if (is_vector) keep_constant(at);
}

void infer_squeeze(Inference& at) {
  const Sizes& in = at.sizes(0);
  at.set_type(0, at.input(0).type);
  const auto* axes = at.wholes(1, "axes");
  if (axes == nullptr && at.has_input(1)) return;
  std::vector<bool> is_gone(in.size(), false);
  for (std::size_t i = 0; axes == nullptr && i < in.size(); ++i) is_gone[i] = in[i] == 1;
  if (axes != nullptr) {
    for (const std::int64_t axis : *axes) is_gone[at.axis(axis, in.size())] = true;
  }
  Sizes out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!is_gone[i]) out.push_back(in[i]);
    if (is_gone[i] && in[i] != 1) at.fail("expected sizes of 1 to leave out of " + sizes_text(in));
  }
  at.set(0, std::move(out));
  keep_constant(at);
}

void infer_unsqueeze(Inference& at) {
  const Sizes& in = at.sizes(0);
  at.set_type(0, at.input(0).type);
  const auto* axes = at.wholes(1, "axes");
  if (axes == nullptr) {
    if (!at.has_input(1)) at.fail("expected axes");
    return;
  }
  const std::size_t rank = in.size() + axes->size();
  if (rank > kMostRank) at.fail("expected at most 64 sizes");
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t axis : *axes) is_new[at.axis(axis, rank)] = true;
  if (std::count(is_new.begin(), is_new.end(), true) != static_cast<std::ptrdiff_t>(axes->size())) {
    at.fail("expected axes that differ");
  }
  Sizes out;
  auto next = in.begin();
  for (const bool is_added : is_new) out.push_back(is_added ? 1 : *next++);
  at.set(0, std::move(out));
  keep_constant(at);
}

void infer_concat(Inference& at) {
  Sizes out = at.sizes_of_rank(0, 1);
  const std::size_t axis = at.axis(at.whole("axis", 1), out.size());
  std::vector<std::int64_t> numbers;
  bool is_known = out.size() == 1;
  out[axis] = 0;
  for (std::size_t i = 0; i < at.input_count(); ++i) {
    if (!at.has_input(i)) continue;
    const Sizes& part = at.sizes(i);
    bool fits = part.size() == out.size();
    for (std::size_t j = 0; fits && j < out.size(); ++j) fits = j == axis || part[j] == out[j];
    if (!fits) {
      at.fail(fmt::format("expected sizes that differ on axis {} alone, found {} and {}", axis,
                          sizes_text(at.sizes(0)), sizes_text(part)));
    }
    out[axis] += part[axis];
    if (out[axis] > kMostElements) at.fail("expected an output of at most 2^50 elements");
    const Constant* constant = at.constant(i);
    is_known =
        is_known && constant != nullptr && !constant->is_real && numbers.size() <= kMostConstant;
    if (is_known) numbers.insert(numbers.end(), constant->wholes.begin(), constant->wholes.end());
  }
  at.set(0, std::move(out));
  at.set_type(0, at.input(0).type);
  if (is_known) at.set_constant(0, whole_constant(std::move(numbers)));
}

std::optional<std::vector<std::int64_t>> split_counts(const Inference& at) {
  const Sizes& in = at.sizes_of_rank(0, 1);
  const std::int64_t whole = in[at.axis(at.whole("axis", 0), in.size())];
  const std::size_t count = at.node().outputs.size();
  const auto* parts = at.wholes(1, "split");
  if (count == 0 || (parts == nullptr && at.has_input(1))) return std::nullopt;
  if (parts != nullptr && parts->size() != count) {
    at.fail(fmt::format("expected a size for each of {} outputs", count));
  }
  const auto outputs = static_cast<std::int64_t>(count);
  const std::int64_t even = (whole + outputs - 1) / outputs;
  std::int64_t left = whole;
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < count; ++i) {
    counts.push_back(parts != nullptr ? (*parts)[i] : std::min(even, left));
    if (counts.back() < 0 || counts.back() > left) {
      at.fail(fmt::format("expected parts of {}", whole));
    }
    left -= counts.back();
  }
  return counts;
}

void infer_split(Inference& at) {
  const auto counts = split_counts(at);
  if (!counts) return;
  const Sizes& in = at.sizes(0);
  const std::size_t axis = at.axis(at.whole("axis", 0), in.size());
  for (std::size_t i = 0; i < counts->size(); ++i) {
    Sizes out = in;
    out[axis] = (*counts)[i];
    at.set(i, std::move(out));
    at.set_type(i, at.input(0).type);
  }
}

std::optional<std::vector<TakenRange>> slice_ranges(const Inference& at) {
  const Sizes& sizes = at.sizes(0);
  SliceNumbers numbers{};
  if (!slice_numbers(at, numbers)) return std::nullopt;
  std::vector<TakenRange> ranges;
  for (const std::int64_t size : sizes) ranges.push_back({0, 1, size});
  for (std::size_t i = 0; i < numbers.axes.size(); ++i) {
    const std::size_t axis = at.axis(numbers.axes[i], sizes.size());
    ranges[axis] =
        taken_range(at, sizes[axis], {(*numbers.starts)[i], (*numbers.ends)[i], numbers.steps[i]});
  }
  return ranges;
}

void infer_slice(Inference& at) {
  at.set_type(0, at.input(0).type);
  const auto ranges = slice_ranges(at);
  if (!ranges) return;
  Sizes out;
  for (const TakenRange& range : *ranges) out.push_back(range.count);
  at.set(0, std::move(out));
  const Constant* constant = at.constant(0);
  if (constant == nullptr || ranges->size() != 1) return;
  const TakenRange& taken = ranges->front();
  std::vector<std::size_t> places;
  for (std::int64_t i = 0; i < taken.count; ++i) {
    places.push_back(static_cast<std::size_t>(taken.start + i * taken.step));
  }
  at.set_constant(0, picked(*constant, places));
}

void infer_gather(Inference& at) {
  const Sizes& data = at.sizes_of_rank(0, 1);
  const Sizes& indices = at.sizes(1);
  const std::size_t axis = at.axis(at.whole("axis", 0), data.size());
  const auto place = static_cast<std::ptrdiff_t>(axis);
  Sizes out(data.begin(), data.begin() + place);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), data.begin() + place + 1, data.end());
  at.set(0, std::move(out));
  at.set_type(0, at.input(0).type);
  const Constant* from = at.constant(0);
  const Constant* which = at.constant(1);
  if (from == nullptr || which == nullptr || which->is_real || data.size() != 1) return;
  std::vector<std::size_t> places;
  for (const std::int64_t index : which->wholes) {
    places.push_back(at.axis(index, static_cast<std::size_t>(data[0])));
  }
  at.set_constant(0, picked(*from, places));
}

void infer_gather_elements(Inference& at) {
  at.set(0, at.sizes(1));
  at.set_type(0, at.input(0).type);
}

void infer_gather_nd(Inference& at) {
  const Sizes& data = at.sizes_of_rank(0, 1);
  const Sizes& indices = at.sizes_of_rank(1, 1);
  const std::int64_t shared = at.whole("batch_dims", 0);
  const auto rank = static_cast<std::int64_t>(data.size());
  if (shared < 0 || indices.back() < 1 || indices.back() > rank - shared) {
    at.fail(fmt::format("expected indices of at most {} places", rank));
  }
  Sizes out(indices.begin(), indices.end() - 1);
  out.insert(out.end(), data.begin() + shared + indices.back(), data.end());
  at.set(0, std::move(out));
  at.set_type(0, at.input(0).type);
}

void infer_expand(Inference& at) {
  at.set_type(0, at.input(0).type);
  const auto* wanted = at.wholes(1, "");
  if (wanted == nullptr) return;
  for (const std::int64_t size : *wanted) {
    if (size < 0) at.fail("expected sizes from 0, found " + sizes_text(*wanted));
  }
  at.set(0, broadcast(at, at.sizes(0), *wanted));
  const Constant* numbers = at.constant(0);
  if (numbers == nullptr || numbers->size() != 1) return;
  const std::int64_t count = elements_of(broadcast(at, at.sizes(0), *wanted));
  if (count > static_cast<std::int64_t>(kMostConstant)) return;
  at.set_constant(0,
                  picked(*numbers, std::vector<std::size_t>(static_cast<std::size_t>(count), 0)));
}

void infer_tile(Inference& at) {
  Sizes out = at.sizes(0);
  at.set_type(0, at.input(0).type);
  const auto* repeats = at.wholes(1, "");
  if (repeats == nullptr) return;
  if (repeats->size() != out.size()) at.fail("expected a repeat for each size");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = at.times(out[i], (*repeats)[i]);
  at.set(0, std::move(out));
}

void infer_top_k(Inference& at) {
  Sizes out = at.sizes_of_rank(0, 1);
  const std::size_t axis = at.axis(at.whole("axis", -1), out.size());
  const Constant* kept = at.constant(1);
  const bool is_attribute = at.node().attributes.contains("k");
  if (!is_attribute && (kept == nullptr || kept->wholes.size() != 1)) return;
  out[axis] = is_attribute ? at.whole("k", 1) : kept->wholes[0];
  at.set(0, out);
  at.set(1, std::move(out));
  at.set_type(0, at.input(0).type);
  at.set_type(1, ElementType::int64);
}

void infer_one_hot(Inference& at) {
  const Sizes& indices = at.sizes(0);
  const Constant* depth = at.constant(1);
  if (depth == nullptr || depth->size() != 1) return;
  const std::int64_t named = at.whole("axis", -1);
  const std::size_t axis = at.axis(named, indices.size() + 1);
  Sizes out = indices;
  const double size = depth->is_real ? depth->reals[0] : static_cast<double>(depth->wholes[0]);
  if (!(size >= 0) || size > static_cast<double>(kMostElements)) at.fail("expected a depth from 0");
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(size));
  at.set(0, std::move(out));
}

void infer_of_shape_attribute(Inference& at) {
  if (const NodeAttribute* sizes = at.attribute("shape", NodeAttribute::Kind::wholes)) {
    at.set(0, sizes->wholes);
  }
  at.set_type(0, ElementType::float32);
}

void infer_window_function(Inference& at) {
  const Constant* size = at.constant(0);
  if (size == nullptr || size->wholes.size() != 1) return;
  at.set(0, {size->wholes[0]});
}

}  // namespace waferloom::interchange
