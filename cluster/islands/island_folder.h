#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cluster/islands.h"
#include "cluster/run_folder.h"
#include "optimize/islands.h"

namespace waferloom::cluster {

/// The result of a task: "results/epoch-E/island-I.json", both counted from 1.
std::string result_name(const optimize::IslandTurn& turn);

/// The folder in which islands on other machines leave what they find. An epoch is a group of
/// results:
///
///     run.json                          what is searched and how: other tasks are refused
///     results/epoch-E/island-I.json     what a task found
///     results/epoch-E/closed.json       islands whose results count: nothing changes any more
class IslandFolder : public RunFolder {
 public:
  struct Epoch {
    std::size_t number = 0;  ///< from 0
    std::size_t islands = 0;
  };
  enum class Opening {
    finds,  ///< it has to be there
    makes,  ///< where there is none
  };
  /// Throws InputError if the folder is of another run (it names a key that differs), is no such
  /// folder, or cannot be written.
  IslandFolder(std::string path, const IslandsRun& identity, Opening opening);

  bool is_closed(std::size_t epoch) const;
  /// `record` is the text of an object without the key that says that it is whole. Throws
  /// InputError.
  void write_record(const optimize::IslandTurn& turn, const std::string& record) const;

  /// Islands of an epoch that have a record, ascending.
  std::vector<std::size_t> done(std::size_t epoch) const;
  /// Texts of what the islands of an epoch found so far; nothing where there is none.
  std::vector<std::optional<std::string>> so_far(const Epoch& epoch) const;
  /// The same, for good: closes the epoch if nobody did. Whoever is first decides which islands
  /// count, and everybody goes by that. Throws EngineError for an epoch without any result, which
  /// stays open.
  std::vector<std::optional<std::string>> closed(const Epoch& epoch) const;
  /// "RUN: no island of epoch 2 left a result".
  std::string nothing_left(std::size_t epoch) const;

 private:
  std::string closed_file(std::size_t epoch) const;
  std::string record(const optimize::IslandTurn& turn) const;
  void check(const IslandsRun& identity) const;
  void close(const Epoch& epoch) const;
};

}  // namespace waferloom::cluster
