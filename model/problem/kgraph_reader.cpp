#include <fmt/format.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/problem.h"
#include "model/problem/kgraph_lines.h"
#include "model/problem/problem_faults.h"
#include "model/text.h"

// A case is read in three passes: the text is cut into comments and lines; each line of code
// becomes a raw node or a raw edge, and the comments before the first of them give the header;
// then ids are resolved and ProblemData is filled. A pass reports all its problems before the
// next begins, so that one mistake is told once. What Problem demands beyond the form of the file
// is asked of find_faults and told with the position of the line at fault.

namespace waferloom {
namespace {

using Problems = std::vector<InputProblem>;

struct RawGraph {
  std::vector<RawNode> nodes;
  std::vector<RawEdge> edges;
  TextPosition first_statement;  ///< 0 if there is none
};

/// ProblemData with the line that each of its parts came from.
struct PlacedData {
  ProblemData data;
  std::map<std::string, TextPosition, std::less<>> header;
  std::vector<TextPosition> kernels;
  std::vector<TextPosition> terminals;
  std::vector<TextPosition> connections;
  std::vector<TextPosition> terminal_connections;
  Problems doubts;  ///< prose of the header that looks like a mistyped key
};

void throw_if_any(const std::string& source, const Problems& problems) {
  if (!problems.empty()) throw InputError(source, problems);
}

RawGraph read_lines(const ScannedText& scanned, Problems& problems) {
  RawGraph graph;
  for (const CodeLine& code : split_lines(scanned.code, TextPosition{1, 1})) {
    LineCursor line(code);
    if (line.at_end()) continue;
    if (graph.first_statement == TextPosition{}) graph.first_statement = line.position();
    try {
      auto statement = read_kgraph_line(line);
      if (auto* node = std::get_if<RawNode>(&statement)) graph.nodes.push_back(std::move(*node));
      if (auto* edge = std::get_if<RawEdge>(&statement)) graph.edges.push_back(std::move(*edge));
    } catch (const InputProblem& problem) {
      problems.push_back(problem);
      if (problems.size() == kMaxProblems) break;
    }
  }
  // Where no line is of the form, this is some other file: one message is enough.
  if (graph.nodes.empty() && graph.edges.empty() && problems.size() > 1) problems.resize(1);
  return graph;
}

/// Value of a header key: up to the next blank or comma, or in single quotes.
std::string_view header_value(std::string_view rest) {
  if (!rest.empty() && rest.front() == '\'') {
    const std::size_t end = rest.find('\'', 1);
    if (end != std::string_view::npos) return rest.substr(0, end + 1);
  }
  return rest.substr(0, rest.find_first_of(" \t\v\f,;"));
}

/// Whole numbers and weights of the header: where they go and what they may be.
struct HeaderKey {
  std::string_view key;
  std::int64_t* number = nullptr;
  std::int64_t most = 0;
  Decimal6* weight = nullptr;
};

std::vector<HeaderKey> header_keys(ProblemData& data) {
  return {{"width", &data.wafer.width, kMaxWaferSide},
          {"height", &data.wafer.height, kMaxWaferSide},
          {"memlimit", &data.memory_limit, kMaxMemoryLimit},
          {"replicas", &data.replicas, kMaxReplicas},
          {"wdeltat", nullptr, 0, &data.weights.time},
          {"wlength", nullptr, 0, &data.weights.distance},
          {"wadapter", nullptr, 0, &data.weights.adapter}};
}

void read_header_value(const HeaderKey& key, LineCursor& line, std::string_view value) {
  if (key.number != nullptr) {
    *key.number = line.expect_number(key.key, NumberRange{1, key.most});
    return;
  }
  const auto weight = parse_number6(value);
  if (!weight) {
    line.fail(std::string(key.key) + " as a decimal from 0 to " + to_string(kMaxWeight) +
              " of at most six places");
  }
  *key.weight = *weight;
  line.skip(value.size());
}

void read_test_name(PlacedData& placed, const LineCursor& line, std::string_view value) {
  if (value.size() >= 2 && value.front() == '\'') value = value.substr(1, value.size() - 2);
  placed.data.name = value;
  placed.header["test"] = line.position();
}

/// WIDTHxHEIGHT:X:Y of a rectangle of dead tiles.
void read_dead_tiles(LineCursor& line, PlacedData& placed) {
  const TextPosition position = line.position();
  Rectangle dead;
  const auto next = [&](std::int64_t& number, std::int64_t least, std::string_view behind) {
    number = line.expect_digits("dead", NumberRange{least, kMaxWaferSide});
    if (!behind.empty() && !line.take(behind)) {
      line.fail("dead as WIDTHxHEIGHT:X:Y");
    }
  };
  next(dead.width, 1, "x");
  next(dead.height, 1, ":");
  next(dead.x, 0, ":");
  next(dead.y, 0, "");
  placed.data.wafer.dead.push_back(dead);
  placed.header["dead"] = position;
}

/// Prose it is, but one letter off a key it is rather a slip that would go unnoticed.
void doubt_header_key(const std::string& word, TextPosition position, PlacedData& placed) {
  static const std::vector<std::string_view> keys{"test",    "width",   "height",   "memlimit",
                                                  "wdeltat", "wlength", "wadapter", "replicas"};
  const std::string guess = suggestion(word, keys);
  if (guess.empty() || placed.doubts.size() == kMaxProblems) return;
  placed.doubts.push_back({position, "unknown header key " + in_quotes(word) + guess});
}

/// Takes the `key=value`s out of one line of a comment; everything else in it is prose.
void read_header_line(const CodeLine& text, PlacedData& placed) {
  const auto keys = header_keys(placed.data);
  LineCursor line(text);
  while (!line.at_end()) {
    const TextPosition position = line.position();
    const std::string word(line.take_word());
    if (word.empty()) {
      line.skip(1);
      continue;
    }
    if (!line.take("=")) continue;
    const std::string_view value = header_value(line.rest());
    if (word == "dead") {
      read_dead_tiles(line, placed);
      continue;
    }
    if (word == "test") read_test_name(placed, line, value);
    const HeaderKey* key = nullptr;
    for (const HeaderKey& candidate : keys) {
      if (candidate.key == word) key = &candidate;
    }
    if (key == nullptr) {
      if (word != "test") doubt_header_key(word, position, placed);
      line.skip(value.size());
      continue;
    }
    placed.header[word] = line.position();
    read_header_value(*key, line, value);
  }
}

void read_header(const ScannedText& scanned, TextPosition first_statement, PlacedData& placed,
                 Problems& problems) {
  for (const Comment& comment : scanned.comments) {
    const bool before = first_statement == TextPosition{} ||
                        comment.position.line < first_statement.line ||
                        (comment.position.line == first_statement.line &&
                         comment.position.column < first_statement.column);
    if (!before) break;
    for (const CodeLine& line : split_lines(comment.inside, comment.position)) {
      try {
        read_header_line(line, placed);
      } catch (const InputProblem& problem) {
        problems.push_back(problem);
        if (problems.size() >= kMaxProblems) return;
      }
    }
  }
}

/// Ids of the file → nodes, and where each node went in ProblemData.
struct NodeTable {
  std::unordered_map<std::int64_t, std::size_t> node_of_id;
  std::vector<std::size_t> index_of_node;
};

NodeTable resolve_nodes(const RawGraph& graph, PlacedData& placed, Problems& problems) {
  NodeTable table;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const RawNode& node = graph.nodes[i];
    const auto [held, inserted] = table.node_of_id.emplace(node.id, i);
    if (!inserted && problems.size() < kMaxProblems) {
      problems.push_back(InputProblem{
          node.position, fmt::format("expected an id of its own, found [{}] as in line {}", node.id,
                                     graph.nodes[held->second].position.line)});
    }
    const std::string name = node.name.empty() ? fmt::format("k{}", node.id) : node.name;
    if (is_terminal_type(node.type)) {
      const auto kind = node.type == "input" ? Terminal::Kind::input : Terminal::Kind::output;
      table.index_of_node.push_back(placed.data.terminals.size());
      placed.data.terminals.push_back(Terminal{node.id, name, kind, node.shape});
      placed.terminals.push_back(node.position);
    } else {
      table.index_of_node.push_back(placed.data.kernels.size());
      placed.data.kernels.push_back(ProblemKernel{node.id, name, make_kernel(node.formal)});
      placed.kernels.push_back(node.position);
    }
  }
  return table;
}

/// The node that an end of an edge names. Throws InputProblem.
std::size_t resolve_end(const RawEnd& end, const RawGraph& graph, const NodeTable& table,
                        std::string_view forbidden) {
  const std::string written = fmt::format("'{}[{}]'", end.type, end.id);
  const auto found = table.node_of_id.find(end.id);
  if (found == table.node_of_id.end()) {
    throw InputProblem{end.position, "expected a node of this file, found " + written +
                                         ", which has no line of its own"};
  }
  const std::string& type = graph.nodes[found->second].type;
  if (type != end.type) {
    throw InputProblem{end.position,
                       fmt::format("expected '{}[{}]' as in line {}, found {}", type, end.id,
                                   graph.nodes[found->second].position.line, written)};
  }
  if (type == forbidden) {
    throw InputProblem{end.position, std::string("expected a kernel or an ") +
                                         (type == "input" ? "output" : "input") + " here, found " +
                                         written};
  }
  return found->second;
}

void resolve_edge(const RawEdge& edge, const RawGraph& graph, const NodeTable& table,
                  PlacedData& placed) {
  const std::size_t producer = resolve_end(edge.producer, graph, table, "output");
  const std::size_t consumer = resolve_end(edge.consumer, graph, table, "input");
  const bool from_input = is_terminal_type(edge.producer.type);
  const bool to_output = is_terminal_type(edge.consumer.type);
  const std::size_t from = table.index_of_node[producer];
  const std::size_t to = table.index_of_node[consumer];
  if (from_input && to_output) {
    throw InputProblem{edge.producer.position,
                       "expected a kernel at one end of the edge, found an input and an output"};
  }
  if ((from_input || to_output) && edge.weight) {
    throw InputProblem{edge.weight_position,
                       "expected no weight on an edge of an input or an output, found one"};
  }
  if (from_input || to_output) {
    placed.data.terminal_connections.push_back(from_input
                                                   ? TerminalConnection{from, to, edge.tensor}
                                                   : TerminalConnection{to, from, edge.tensor});
    placed.terminal_connections.push_back(edge.producer.position);
  } else {
    placed.data.connections.push_back(
        Connection{from, to, edge.tensor, edge.weight.value_or(decimal6(1))});
    placed.connections.push_back(edge.producer.position);
  }
}

TextPosition position_of(const ProblemFault& fault, const PlacedData& placed) {
  const auto header = [&placed](std::string_view key) {
    const auto found = placed.header.find(key);
    return found == placed.header.end() ? TextPosition{} : found->second;
  };
  switch (fault.place) {
    case FaultPlace::replicas:
      return header("replicas");
    case FaultPlace::name:
      return header("test");
    case FaultPlace::weights: {
      const TextPosition distance = header("wlength");
      return distance == TextPosition{} ? header("wdeltat") : distance;
    }
    case FaultPlace::dead:
      return header("dead");
    case FaultPlace::kernel:
      return placed.kernels[fault.index];
    case FaultPlace::terminal:
      return placed.terminals[fault.index];
    case FaultPlace::connection:
      return placed.connections[fault.index];
    case FaultPlace::terminal_connection:
      return placed.terminal_connections[fault.index];
    case FaultPlace::wafer:
    case FaultPlace::memory_limit:
    case FaultPlace::kernels:
    case FaultPlace::fixed:
    case FaultPlace::region:
      break;
  }
  return TextPosition{};
}

}  // namespace

Problem read_kgraph(std::string_view text, const std::string& source,
                    std::vector<InputProblem>* doubts) {
  const ScannedText scanned = scan_text(text, source, false);
  PlacedData placed;
  Problems problems;
  const RawGraph graph = read_lines(scanned, problems);
  if (problems.size() < kMaxProblems) {
    read_header(scanned, graph.first_statement, placed, problems);
  }
  throw_if_any(source, problems);
  const NodeTable table = resolve_nodes(graph, placed, problems);
  for (const RawEdge& edge : graph.edges) {
    if (problems.size() == kMaxProblems) break;
    try {
      resolve_edge(edge, graph, table, placed);
    } catch (const InputProblem& problem) {
      problems.push_back(problem);
    }
  }
  throw_if_any(source, problems);
  for (const ProblemFault& fault : find_faults(placed.data, kMaxProblems)) {
    problems.push_back(InputProblem{position_of(fault, placed), fault.message});
  }
  throw_if_any(source, problems);
  if (doubts != nullptr) {
    doubts->insert(doubts->end(), placed.doubts.begin(), placed.doubts.end());
  }
  return Problem(std::move(placed.data));
}

}  // namespace waferloom
