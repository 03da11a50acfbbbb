#include <algorithm>
#include <unordered_map>

#include "model/dataflow_graph.h"
#include "model/text.h"

namespace waferloom {
namespace {

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
    reader_.expect_keys(file, "a mapping as an object with partitions",
                        {"schema", "network", "partitions", "comment"});
    reader_.check_schema(file, "waferloom/mapping/1");
    if (const JsonValue* text = JsonReader::find(file, "comment")) reader_.string(*text, "comment");
    if (const JsonValue* network = JsonReader::find(file, "network")) check_network(*network);
    const JsonValue& lists = reader_.at(file, "partitions");
    for (const JsonValue& list : reader_.array(lists, "partitions as an array")) read_list(list);
    check(lists);
    return std::move(partitions_);
  }

 private:
  void check_network(const JsonValue& network) const {
    const std::string& name = reader_.string(network, "the name of a network");
    if (name == graph_.name) return;
    reader_.fail(network.position, "expected a mapping of " + in_quotes(graph_.name) +
                                       ", found one of " + in_quotes(name));
  }

  void read_list(const JsonValue& list) {
    const auto& items = reader_.array(list, "a partition as an array of kernels' names");
    if (items.empty()) reader_.fail(list, "at least one kernel in a partition");
    partitions_.emplace_back();
    for (const JsonValue& item : items) {
      const std::string& name = reader_.string(item, "the name of a kernel");
      const auto found = index_.find(name);
      if (found == index_.end()) {
        reader_.fail(item.position, "expected a kernel of " + graph_.name + ", found " +
                                        in_quotes(name) + suggestion(name, names_));
      }
      if (place_[found->second] != 0) {
        reader_.fail(item.position,
                     "expected every kernel once, found " + in_quotes(name) + " again");
      }
      place_[found->second] = partitions_.size();
      at_[found->second] = item.position;
      partitions_.back().push_back(found->second);
    }
    std::sort(partitions_.back().begin(), partitions_.back().end());
  }

  void check(const JsonValue& lists) const {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      if (place_[i] != 0) continue;
      reader_.fail(lists.position, "expected all " + std::to_string(place_.size()) +
                                       " kernels of " + graph_.name + ", found no " +
                                       in_quotes(names_[i]));
    }
    for (const DataflowTensor& tensor : graph_.tensors) {
      if (place_[tensor.from] <= place_[tensor.to]) continue;
      reader_.fail(at_[tensor.to], "expected " + in_quotes(names_[tensor.to]) + " not before " +
                                       in_quotes(names_[tensor.from]) +
                                       ", whose tensor it takes, found it in partition " +
                                       std::to_string(place_[tensor.to]) + " and " +
                                       in_quotes(names_[tensor.from]) + " in partition " +
                                       std::to_string(place_[tensor.from]));
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

std::vector<std::vector<std::size_t>> read_mapping(std::string_view text, const std::string& source,
                                                   const DataflowGraph& graph) {
  return MappingReader(source, graph).read(parse_json(text, source));
}

}  // namespace waferloom
