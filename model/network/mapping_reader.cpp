#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "model/describe.h"
#include "model/text.h"
#include "model/workload.h"

namespace waferloom {
namespace {

/// Partitions of kernels by their names.
struct MappingFile {
  std::optional<At<std::string>> network{};
  At<std::vector<At<std::vector<At<std::string>>>>> partitions{};
};

class MappingReader {
 public:
  MappingReader(const std::string& source, const DataflowGraph& graph)
      : reader_(source, "mapping"),
        graph_(graph),
        place_(graph.kernels.size(), 0),
        at_(graph.kernels.size()) {
    for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
      index_.emplace(graph.kernels[i].name, i);
      names_.push_back(graph.kernels[i].name);
    }
  }

  std::vector<std::vector<std::size_t>> read(const JsonValue& file) {
    const auto said = read_described<MappingFile>(reader_, file);
    if (said.network) check_network(*said.network);
    for (const auto& partition : said.partitions.value) take(partition.value);
    check(said.partitions.at);
    return std::move(partitions_);
  }

 private:
  void check_network(const At<std::string>& network) const {
    if (network.value == graph_.name) return;
    reader_.fail(network.at, "expected a mapping of " + in_quotes(graph_.name) + ", found one of " +
                                 in_quotes(network.value));
  }

  void take(const std::vector<At<std::string>>& names) {
    partitions_.emplace_back();
    for (const auto& [name, at] : names) {
      const auto found = index_.find(name);
      if (found == index_.end()) {
        reader_.fail(at, "expected a kernel of " + graph_.name + ", found " + in_quotes(name) +
                             suggestion(name, names_));
      }
      if (place_[found->second] != 0) {
        reader_.fail(at, "expected every kernel once, found " + in_quotes(name) + " again");
      }
      place_[found->second] = partitions_.size();
      at_[found->second] = at;
      partitions_.back().push_back(found->second);
    }
    std::sort(partitions_.back().begin(), partitions_.back().end());
  }

  void check(TextPosition lists) const {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      if (place_[i] != 0) continue;
      reader_.fail(lists, fmt::format("expected all {} kernels of {}, found no {}", place_.size(),
                                      graph_.name, in_quotes(names_[i])));
    }
    for (const DataflowTensor& tensor : graph_.tensors) {
      if (place_[tensor.from] <= place_[tensor.to]) continue;
      reader_.fail(
          at_[tensor.to],
          fmt::format("expected {} not before {}, whose tensor it takes, found it in partition {} "
                      "and {} in partition {}",
                      in_quotes(names_[tensor.to]), in_quotes(names_[tensor.from]),
                      place_[tensor.to], in_quotes(names_[tensor.from]), place_[tensor.from]));
    }
  }

  JsonReader reader_;
  const DataflowGraph& graph_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string_view> names_;
  std::vector<std::size_t> place_;  ///< partitions from 1; 0: none yet
  std::vector<TextPosition> at_;    ///< where the name stands
  std::vector<std::vector<std::size_t>> partitions_;
};

}  // namespace

template <>
const TypeRows& rows_of<MappingFile>() {
  static const TypeRows rows = rows_for<MappingFile>(
      "a mapping",
      {format_row("waferloom/mapping/1"),
       row("network", &MappingFile::network,
           {.meaning = "name of the graph that the partitions are of", .or_null = false}),
       needed("partitions", &MappingFile::partitions,
              {.meaning =
                   "lists of names of kernels, in the order in which they run; every kernel once",
               .items = {1, kCount.most},
               .item = "a partition",
               .inner_item = "the name of a kernel",
               .inner_items = {1, kCount.most}}),
       remark_row("comment")});
  return rows;
}

std::string mapping_text(const std::string& network,
                         const std::vector<std::vector<std::string>>& partitions) {
  MappingFile file;
  file.network = {network, {}};
  for (const std::vector<std::string>& names : partitions) {
    auto& kernels = file.partitions.value.emplace_back().value;
    for (const std::string& name : names) kernels.push_back({name, {}});
  }
  return written_text([&](ValueSink& sink) { write_rows(rows_of<MappingFile>(), &file, sink); });
}

std::string mapping_schema() {
  return schema_text(
      rows_of<MappingFile>(),
      "Partitions of kernels on a chip, as waferloom model dfmodel --mapping reads them");
}

std::vector<std::vector<std::size_t>> read_mapping(std::string_view text, const std::string& source,
                                                   const DataflowGraph& graph) {
  return MappingReader(source, graph).read(parse_json(text, source));
}

}  // namespace waferloom
