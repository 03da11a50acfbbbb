#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/mesh_collectives.h"
#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "sim/inside/word_program.h"
#include "sim/message_run.h"
#include "sim/wafer_runs.h"

// Problem: check what an operator costs in closed form by moving its very words.
// Idea: write the operator down as messages and delays of tiles, one part behind the other, and run
// them on the fabric. A tile begins a part when it has done the one before. Between operators whose
// words would meet, all wait for all, as in the closed form, which adds them.
// Source: the operators are those of kernels/mesh_operators.h and kernels/mesh_layers.h.
// Cost: as many messages as the parts have; the run costs O(words · hops).
namespace waferloom::sim {
namespace {

using Step = WordProgram::Step;

class OperatorWriter {
 public:
  OperatorWriter(const TileJob& job, std::string algorithm, WordProgram& program)
      : job_(job), extents_(job.extents), algorithm_(std::move(algorithm)), program_(program) {}

  void write() {
    switch (job_.kind) {
      case TileOperatorKind::gemm:
        return write_gemm(program_, gemm_algorithm(), job_.shape(), 0);
      case TileOperatorKind::gemm_backward:
        return backward();
      case TileOperatorKind::convolution:
        return write_gemm(program_, gemm_algorithm(),
                          product_of({extents_.positions, extents_.in_channels,
                                      extents_.out_channels, extents_.kernel}),
                          0);
      case TileOperatorKind::gemv:
        if (algorithm_ == "one-way chain") return library_gemv(extents_.m, extents_.n);
        return gemv(extents_.m, extents_.n, algorithm_ == "chain" ? 1 : job_.groups, false);
      case TileOperatorKind::attention:
        return attention();
      case TileOperatorKind::prefill:
        return prefill();
      case TileOperatorKind::block:
        return block();
      case TileOperatorKind::norm:
        return norm(extents_.m, extents_.n);
      case TileOperatorKind::softmax:
        return softmax(extents_.m, extents_.n);
      case TileOperatorKind::rotary:
        return element_wise(extents_.tokens * extents_.features, 3);
      case TileOperatorKind::element_wise:
        return element_wise(extents_.elements, 1);
      case TileOperatorKind::embedding:
        return embedding();
      case TileOperatorKind::head:
        return head();
      case TileOperatorKind::experts:
        return experts();
      case TileOperatorKind::transpose:
        return transpose(extents_.m, extents_.n);
      case TileOperatorKind::convert:
        return convert();
      case TileOperatorKind::shift:
        return shift();
      case TileOperatorKind::reduce:
        return collective(MeshCollective::reduce);
      case TileOperatorKind::all_reduce:
        return collective(MeshCollective::all_reduce);
      case TileOperatorKind::broadcast:
        return collective(MeshCollective::broadcast);
    }
  }

 private:
  const TileGrid& tiles() const { return program_.tiles(); }
  const TileFabric& fabric() const { return program_.fabric(); }

  GemmAlgorithm gemm_algorithm() const {
    const auto at = std::find(kGemmAlgorithmNames.begin(), kGemmAlgorithmNames.end(), algorithm_);
    return static_cast<GemmAlgorithm>(at - kGemmAlgorithmNames.begin());
  }

  void collective(MeshCollective kind) {
    write_collective(program_, kind, algorithm_, program_.words(extents_.elements), job_.groups);
  }

  /// Along all columns of tiles, or all rows.
  void all_reduce(std::int64_t elements, bool along_rows, std::int64_t groups) {
    const std::int64_t lines = along_rows ? tiles().rows : tiles().columns;
    for (std::int64_t i = 0; i < lines; ++i) {
      all_reduce_line(program_, program_.words(elements),
                      along_rows ? program_.row(i) : program_.column(i), groups);
    }
  }

  /// `turned`: sums go along rows.
  void gemv(std::int64_t m, std::int64_t n, std::int64_t groups, bool turned) {
    const std::int64_t rows = turned ? tiles().columns : tiles().rows;
    const std::int64_t columns = turned ? tiles().rows : tiles().columns;
    program_.compute_all(vector_cycles(parts_of(m, rows), fabric(), parts_of(n, columns)));
    all_reduce(parts_of(n, columns), turned, groups);
  }

  /// Sums of 32 bits along whole columns, and back.
  void library_gemv(std::int64_t m, std::int64_t n) {
    constexpr std::int64_t kSumBytes = 4;
    const std::int64_t columns = parts_of(n, tiles().columns);
    const std::int64_t words = parts_of(columns * kSumBytes, fabric().word_bytes);
    program_.compute_all(vector_cycles(parts_of(m, tiles().rows), fabric(), columns));
    for (std::int64_t c = 0; c < tiles().columns; ++c) {
      const Line column = program_.column(c);
      reduce_line(program_, column, words, LineReduction::chain, 0);
      broadcast(program_, column[0], WordProgram::others(column, column[0]), words);
    }
  }

  void norm(std::int64_t tokens, std::int64_t features) {
    const std::int64_t own = parts_of(tokens, tiles().columns);
    program_.compute_all(vector_cycles(2 * own, fabric(), parts_of(features, tiles().rows)));
    all_reduce(own, false, job_.groups);
  }

  void softmax(std::int64_t rows, std::int64_t length) {
    const std::int64_t own = parts_of(rows, tiles().columns);
    const std::int64_t own_length = parts_of(length, tiles().rows);
    program_.compute_all(vector_cycles(3 * own, fabric(), own_length) +
                         exponential_cycles(own, fabric(), own_length));
    all_reduce(own, false, job_.groups);
    all_reduce(own, false, job_.groups);
  }

  void element_wise(std::int64_t elements, std::int64_t operations) {
    program_.compute_all(
        vector_cycles(operations, fabric(), parts_of(elements, tiles().rows * tiles().columns)));
  }

  void transpose(std::int64_t m, std::int64_t n) {
    const std::int64_t side = std::min(tiles().rows, tiles().columns);
    const std::int64_t words = program_.words(parts_of(m, side) * parts_of(n, side));
    std::vector<std::pair<Tile, Step>> sent;
    for (std::int64_t r = 0; r < side; ++r) {
      for (std::int64_t c = 0; c < side; ++c) {
        if (r == c) continue;
        sent.push_back({{c, r}, program_.send({r, c}, {{c, r}}, words, program_.ready({r, c}))});
      }
    }
    for (const auto& [to, step] : sent) program_.ready(to).push_back(step);
  }

  /// Every tile of the lines gets the blocks of all others.
  void gather(std::int64_t elements, bool along_rows) {
    const std::int64_t lines = along_rows ? tiles().rows : tiles().columns;
    for (std::int64_t i = 0; i < lines; ++i) {
      const Line line = along_rows ? program_.row(i) : program_.column(i);
      std::vector<Step> sent;
      for (const Tile& tile : line) {
        const std::vector<Tile> to = WordProgram::others(line, tile);
        if (to.empty()) return;
        sent.push_back(program_.send(tile, to, program_.words(elements), program_.ready(tile)));
      }
      for (std::size_t t = 0; t < line.size(); ++t) {
        for (std::size_t s = 0; s < sent.size(); ++s) {
          if (s != t) program_.ready(line[t]).push_back(sent[s]);
        }
      }
    }
  }

  void convert() {
    const auto is_copied = [](MatrixLayout layout) {
      return layout == MatrixLayout::down_copied || layout == MatrixLayout::across_copied;
    };
    const auto is_turned = [](MatrixLayout layout) {
      return layout == MatrixLayout::rows_across || layout == MatrixLayout::across_copied;
    };
    const bool turns = is_turned(job_.from) != is_turned(job_.to);
    if (turns) transpose(extents_.m, extents_.n);
    program_.wait_for_all();
    if (!is_copied(job_.to) || (is_copied(job_.from) && !turns)) return;
    const bool turned = is_turned(job_.to);
    const std::int64_t down = turned ? tiles().columns : tiles().rows;
    const std::int64_t across = turned ? tiles().rows : tiles().columns;
    gather(parts_of(extents_.m, down) * parts_of(extents_.n, across), !turned);
  }

  void backward() {
    const auto& [m, k, n] = job_.shape();
    transpose(k, n);
    program_.wait_for_all();
    write_gemm(program_, gemm_algorithm(), {m, n, k}, 0);
    program_.wait_for_all();
    transpose(m, k);
    program_.wait_for_all();
    write_gemm(program_, gemm_algorithm(), {k, m, n}, 0);
  }

  void attention() {
    const std::int64_t tokens = parts_of(extents_.tokens, tiles().rows);
    const std::int64_t features = parts_of(extents_.heads * extents_.head_size, tiles().columns);
    const std::int64_t heads = parts_of(extents_.heads, tiles().columns);
    const std::int64_t of_head = std::max<std::int64_t>(1, tiles().columns / extents_.heads);
    program_.compute_all(vector_cycles(tokens, fabric(), features));
    for (std::int64_t r = 0; r < tiles().rows; ++r) {
      const Line row = program_.row(r);
      for (std::int64_t begin = 0; begin < tiles().columns; begin += of_head) {
        const std::int64_t end = std::min(begin + of_head, tiles().columns);
        all_reduce_line(program_, program_.words(heads * tokens),
                        Line(row.begin() + begin, row.begin() + end), job_.groups);
      }
    }
    softmax(extents_.heads, extents_.tokens);
    program_.compute_all(vector_cycles(tokens, fabric(), features));
    all_reduce(features, false, job_.groups);
  }

  void block() {
    const std::int64_t hidden = extents_.hidden;
    const std::int64_t inner = extents_.feed_forward;
    const std::int64_t wide = extents_.heads * extents_.head_size;
    norm(1, hidden);
    gemv(hidden, wide + 2 * job_.heads_kept() * extents_.head_size, job_.groups, false);
    attention();
    gemv(wide, hidden, job_.groups, true);
    element_wise(hidden, 1);
    norm(1, hidden);
    gemv(hidden, 2 * inner, job_.groups, false);
    const std::int64_t own = parts_of(inner, tiles().columns);
    program_.compute_all(vector_cycles(3, fabric(), own) + exponential_cycles(1, fabric(), own));
    gemv(inner, hidden, job_.groups, true);
    element_wise(hidden, 1);
  }

  void embedding() {
    const std::int64_t words = program_.words(parts_of(extents_.features, tiles().columns));
    for (std::int64_t c = 0; c < tiles().columns; ++c) {
      const Line column = program_.column(c);
      for (std::int64_t token = 0; token < extents_.tokens && column.size() > 1; ++token) {
        // Words of the vocabulary that follow one another lie on different tiles, as in a text.
        const Tile from = column[static_cast<std::size_t>(token % tiles().rows)];
        program_.send(from, WordProgram::others(column, from), words, program_.ready(from));
      }
    }
  }

  void head() {
    const GemmShape shape{extents_.tokens, extents_.features, extents_.vocabulary};
    std::size_t best = 0;
    double least = mesh_gemm(fabric(), GemmAlgorithm{}, shape, tiles()).parts.total();
    for (std::size_t i = 1; i < kGemmAlgorithmNames.size(); ++i) {
      const double cycles =
          mesh_gemm(fabric(), static_cast<GemmAlgorithm>(i), shape, tiles()).parts.total();
      if (cycles >= least) continue;
      least = cycles;
      best = i;
    }
    write_gemm(program_, static_cast<GemmAlgorithm>(best), shape, 0);
    const std::int64_t own = parts_of(extents_.tokens, tiles().rows);
    program_.compute_all(
        vector_cycles(own, fabric(), parts_of(extents_.vocabulary, tiles().columns)));
    all_reduce(own, true, 0);
  }

  void shift() {
    if (extents_.distance >= tiles().columns) {
      throw RequestError(fmt::format("a shift by {} tiles leaves a rectangle of {} columns",
                                     extents_.distance, tiles().columns));
    }
    const std::int64_t words = program_.words(extents_.elements);
    for (std::int64_t r = 0; r < tiles().rows; ++r) {
      for (std::int64_t c = 0; c + 1 < tiles().columns; ++c) {
        WordProgram::Steps before;
        for (std::int64_t d = 0; d < extents_.distance && c + d + 1 < tiles().columns; ++d) {
          before = {program_.send({r, c + d}, {{r, c + d + 1}}, words, before)};
        }
      }
    }
  }

  // ---- parts of the rectangle -----------------------------------------------------------------

  void prefill() {
    const TileGrid whole = tiles();
    const TileGrid part = equal_part(whole, extents_.heads);
    const std::int64_t beside =
        std::min(extents_.heads, (whole.rows / part.rows) * (whole.columns / part.columns));
    const std::int64_t tokens = extents_.tokens;
    program_.work_on(part);
    for (std::int64_t turn = 0; turn < parts_of(extents_.heads, beside); ++turn) {
      const GemmShape scores{tokens, extents_.head_size, tokens};
      if (gemm_algorithm() == GemmAlgorithm::meshgemm) {
        write_scores(program_, scores);
      } else {
        write_gemm(program_, gemm_algorithm(), scores, 0);
      }
      softmax(tokens, tokens);
      write_gemm(program_, gemm_algorithm(), {tokens, tokens, extents_.head_size}, 0);
      program_.wait_for_all();
    }
    program_.work_on(whole);
  }

  void exchange() {
    const std::int64_t all = tiles().rows * tiles().columns;
    const std::int64_t words =
        parts_of(program_.words(extents_.tokens * extents_.chosen * extents_.hidden), all * all);
    const Line line = program_.snake();
    std::vector<WordProgram::Steps> arriving(line.size());
    for (std::size_t from = 0; from < line.size(); ++from) {
      for (std::size_t hop = 1; hop < line.size(); ++hop) {
        const std::size_t to = (from + hop) % line.size();
        arriving[to].push_back(
            program_.send(line[from], {line[to]}, words, program_.ready(line[from])));
      }
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      for (const Step step : arriving[i]) program_.ready(line[i]).push_back(step);
    }
  }

  void experts() {
    const TileGrid whole = tiles();
    const TileGrid part = equal_part(whole, extents_.experts);
    const double share = static_cast<double>(extents_.tokens * extents_.chosen) /
                         static_cast<double>(extents_.experts);
    const std::int64_t most =
        std::clamp<std::int64_t>(std::llround(std::ceil(share * job_.load)), 1, extents_.tokens);
    const std::int64_t inner = extents_.feed_forward;
    exchange();
    program_.work_on(part);
    write_gemm(program_, gemm_algorithm(), {most, extents_.hidden, 2 * inner}, 0);
    element_wise(most * inner, 2);
    write_gemm(program_, gemm_algorithm(), {most, inner, extents_.hidden}, 0);
    program_.work_on(whole);
    exchange();
  }

  const TileJob& job_;
  const TileExtents& extents_;
  std::string algorithm_;
  WordProgram& program_;
};

}  // namespace

MessageSet operator_messages(const TileJob& job, const std::string& algorithm,
                             const TileFabric& fabric) {
  if (job.tiles.rows * job.tiles.columns > kMostInsideTiles) {
    throw RequestError(fmt::format("words are moved one by one on at most {} tiles, not on {}",
                                   kMostInsideTiles, job.tiles.rows * job.tiles.columns));
  }
  WordProgram program(job.tiles, fabric);
  OperatorWriter(job, algorithm, program).write();
  return program.take();
}

std::optional<std::int64_t> inside_cycles(const TileJob& job, const std::string& algorithm,
                                          const TileFabric& fabric, const RunControl& control) {
  const MessageSet set = operator_messages(job, algorithm, fabric);
  if (set.messages.empty()) return 0;
  MessageRunOptions options;
  options.network = NetworkKind::packet;
  options.control = control;
  const MessageTimes times = run_messages(set, options);
  if (times.stopped) return std::nullopt;
  return times.makespan;
}

}  // namespace waferloom::sim
