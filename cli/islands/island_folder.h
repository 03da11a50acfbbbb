#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/report.h"
#include "optimize/islands.h"

namespace waferloom::cli {

/// Of a run.
inline constexpr std::uint64_t kMostIslands = 1'000;

/// The folder in which islands on other machines leave what they find:
///
///     islands.json              what is searched and how: tasks of anything else are refused
///     epoch-E/island-I.json     what a task found, put there by a rename; both counted from 1
///     epoch-E/closed.json       the islands whose results count: nothing of it changes any more
///     engine/                   what engines were given, and what tasks say
class IslandFolder {
 public:
  /// Opens it; where there is none, makes it if `makes`. `identity` is all that results follow
  /// from. Throws Failure::input if the folder is of another run (it names a key that differs), is
  /// no such folder, or cannot be written.
  IslandFolder(std::string path, const Json& identity, bool makes);

  const std::string& path() const { return path_; }
  /// The absolute name of the folder for engines.
  std::string engine_folder() const;

  bool has(const optimize::IslandTurn& turn) const;
  bool is_closed(std::size_t epoch) const;
  /// Throws Failure::input.
  void write(const optimize::IslandTurn& turn, const Json& record) const;

  /// Islands of an epoch that have a record, ascending. The folder is listed, not asked for each
  /// name: a file system over a network remembers for a while that a name was not there.
  std::vector<std::size_t> done(std::size_t epoch) const;
  /// Texts of what the islands of an epoch found so far; nothing where there is none.
  std::vector<std::optional<std::string>> so_far(std::size_t epoch, std::size_t islands) const;
  /// The same, for good: closes the epoch if nobody did. Whoever is first decides which islands
  /// count, and everybody goes by that. Throws Failure::input for an epoch without any result,
  /// which stays open.
  std::vector<std::optional<std::string>> closed(std::size_t epoch, std::size_t islands) const;
  /// "RUN: no island of epoch 2 left a result".
  std::string nothing_left(std::size_t epoch) const;
  /// The name of a record's file, for messages.
  std::string record_file(const optimize::IslandTurn& turn) const;

 private:
  std::string epoch_folder(std::size_t epoch) const;
  std::string closed_file(std::size_t epoch) const;
  void check(const Json& identity) const;
  void close(std::size_t epoch, std::size_t islands) const;

  std::string path_;
};

}  // namespace waferloom::cli
