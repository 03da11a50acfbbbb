#include <fmt/format.h>

#include <array>
#include <utility>

#include "model/placement.h"
#include "model/text.h"

namespace waferloom {
namespace {

constexpr NumberRange kCoordinateRange{-kMaxCoordinate, kMaxCoordinate};

/// The formal parameters of a type in the order of the solution format.
template <class Conv>
auto conv_order(Conv& conv) {
  return std::array{&conv.height,       &conv.width,       &conv.channels_in, &conv.channels_out,
                    &conv.field_height, &conv.field_width, &conv.stride_y,    &conv.stride_x};
}
template <class Block>
auto block_order(Block& block) {
  return std::array{&block.height, &block.width, &block.features};
}

std::size_t convolution_count(const KernelFormal& formal) {
  constexpr std::array<std::size_t, 4> kCounts{1, 3, 4, 0};
  return kCounts[formal.index()];
}

std::int64_t read_parameter(LineCursor& line) {
  return line.expect_number("a parameter", kCoordinateRange);
}

/// `conv( H W C K R S T U h w c k )` and the like, after the name and =.
void read_parameters(LineCursor& line, SolutionKernel& kernel) {
  const LineCursor start = line;
  const std::string_view type = line.take_word();
  if (type == "conv") {
    kernel.formal = ConvFormal{};
  } else if (type == "dblock") {
    kernel.formal = DblockFormal{};
  } else if (type == "cblock") {
    kernel.formal = CblockFormal{};
  } else if (type == "shapes") {
    kernel.formal = ShapesFormal{};
  } else {
    const std::string hint = suggestion(type, {"conv", "dblock", "cblock", "shapes"});
    start.fail("conv, dblock, cblock or shapes", hint);
  }
  line.expect("(");
  if (std::holds_alternative<ShapesFormal>(kernel.formal)) {
    kernel.execution = option_execution(line.expect_number("an option", kCoordinateRange));
    line.expect(")");
    return;
  }
  if (auto* conv = std::get_if<ConvFormal>(&kernel.formal)) {
    for (std::int64_t* value : conv_order(*conv)) *value = read_parameter(line);
  } else if (auto* dblock = std::get_if<DblockFormal>(&kernel.formal)) {
    for (std::int64_t* value : block_order(*dblock)) *value = read_parameter(line);
  } else {
    for (std::int64_t* value : block_order(std::get<CblockFormal>(kernel.formal))) {
      *value = read_parameter(line);
    }
  }
  kernel.execution.h = read_parameter(line);
  kernel.execution.w = read_parameter(line);
  const std::size_t count = convolution_count(kernel.formal);
  for (std::size_t i = 0; i < count; ++i) kernel.execution.c[i] = read_parameter(line);
  for (std::size_t i = 0; i < count; ++i) kernel.execution.k[i] = read_parameter(line);
  line.expect(")");
}

/// `place(x y R0)`, after the name and the colon.
void read_place(LineCursor& line, SolutionPlace& place) {
  const LineCursor word = line;
  if (line.take_word() != "place") word.fail("place or name");
  line.expect("(");
  place.x = line.expect_number("x", kCoordinateRange);
  place.y = line.expect_number("y", kCoordinateRange);
  const LineCursor start = line;
  const std::string_view rotation = line.take_word();
  if (rotation != "R0" && rotation != "R90") start.fail("R0 or R90");
  place.rotated = rotation == "R90";
  line.expect(")");
}

/// `name('k1)`, after the name and the colon: what a kernel is called, as other placers write it
/// beside its place. The quote may be a double one, be closed, or be missing.
void pass_name(LineCursor& line) {
  line.expect("(");
  const char quote = line.peek();
  const bool is_quoted = quote == '\'' || quote == '"';
  if (is_quoted) line.skip(1);
  line.expect_name();
  if (is_quoted) line.take(std::string_view(&quote, 1));
  line.expect(")");
}

/// `union( k1 k2 )`, after a name and =: the kernels of a map, with blanks or commas between them.
void pass_union(LineCursor& line) {
  line.expect("(");
  while (!line.take(")")) {
    line.expect_name();
    line.take(",");
  }
}

/// `include …` and `name(…)`, which say nothing about the placement.
bool is_tolerated(LineCursor line) {
  const std::string_view word = line.take_word();
  if (word == "include") return line.peek() != '=' && line.peek() != ':';
  return word == "name" && line.peek() == '(';
}

/// Takes a whole word if it comes next.
bool takes_word(LineCursor& line, std::string_view word) {
  LineCursor ahead = line;
  if (ahead.take_word() != word) return false;
  line = ahead;
  return true;
}

void read_line(LineCursor line, Solution& solution) {
  const TextPosition position = line.position();
  const std::string name(line.expect_name());
  if (line.take("=")) {
    if (takes_word(line, "union")) {
      pass_union(line);
      line.expect_end();
      return;
    }
    SolutionKernel kernel{name, {}, {}, position};
    read_parameters(line, kernel);
    line.expect_end();
    solution.kernels.push_back(std::move(kernel));
  } else if (line.take(":")) {
    if (takes_word(line, "name")) {
      pass_name(line);
      line.expect_end();
      return;
    }
    SolutionPlace place{name, 0, 0, false, position};
    read_place(line, place);
    line.expect_end();
    solution.places.push_back(std::move(place));
  } else {
    line.fail("= or : behind the name of a kernel");
  }
}

void append_kernel(std::string& text, const SolutionKernel& kernel) {
  const auto append = [&text](std::int64_t value) { text += fmt::format(" {}", value); };
  text += kernel.name + " = " + std::string(type_name(kernel.formal)) + "(";
  if (std::holds_alternative<ShapesFormal>(kernel.formal)) {
    append(kernel.execution.option);
    text += " )\n";
    return;
  }
  if (const auto* conv = std::get_if<ConvFormal>(&kernel.formal)) {
    for (const std::int64_t* value : conv_order(*conv)) append(*value);
  } else if (const auto* dblock = std::get_if<DblockFormal>(&kernel.formal)) {
    for (const std::int64_t* value : block_order(*dblock)) append(*value);
  } else {
    for (const auto* value : block_order(std::get<CblockFormal>(kernel.formal))) append(*value);
  }
  append(kernel.execution.h);
  append(kernel.execution.w);
  const std::size_t count = convolution_count(kernel.formal);
  for (std::size_t i = 0; i < count; ++i) append(kernel.execution.c[i]);
  for (std::size_t i = 0; i < count; ++i) append(kernel.execution.k[i]);
  text += " )\n";
}

}  // namespace

Solution read_solution(std::string_view text, const std::string& source) {
  const ScannedText scanned = scan_text(text, source, true);
  Solution solution;
  std::vector<InputProblem> problems;
  for (const CodeLine& code : split_lines(scanned.code, TextPosition{1, 1})) {
    const LineCursor line(code);
    if (line.at_end() || is_tolerated(line)) continue;
    try {
      read_line(line, solution);
    } catch (const InputProblem& problem) {
      problems.push_back(problem);
      if (problems.size() == kMaxProblems) break;
    }
  }
  // Where no line is of the form, this is some other file: one message is enough.
  if (solution.kernels.empty() && solution.places.empty() && problems.size() > 1) {
    problems.resize(1);
  }
  if (!problems.empty()) throw InputError(source, std::move(problems));
  return solution;
}

std::string write_solution(const Solution& solution) {
  std::string text;
  for (const SolutionKernel& kernel : solution.kernels) append_kernel(text, kernel);
  for (const SolutionPlace& place : solution.places) {
    text += fmt::format("{} : place({} {}{}", place.name, place.x, place.y,
                        place.rotated ? " R90)\n" : " R0)\n");
  }
  return text;
}

}  // namespace waferloom
