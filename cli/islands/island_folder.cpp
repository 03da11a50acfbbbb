#include "cli/islands/island_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/console/failure.h"
#include "cli/console/process_name.h"
#include "cli/files/output_file.h"
#include "cli/files/own_file.h"
#include "model/errors.h"
#include "model/option_spec.h"

// Problem: tasks on many machines have to agree on what each epoch found, though some are lost and
// some come late.
// Idea: a file a task, and one that closes the epoch with a list of the islands that count. It is
// made by link(2), which only the first succeeds in, also on a file system that machines share.
namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunFile = "islands.json";
constexpr const char* kClosedSchema = "waferloom/islands_closed/1";

/// The islands that a closed.json lists, counted from 0.
std::vector<std::size_t> closed_islands(const std::string& text, const std::string& source) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") == kClosedSchema) {
      std::vector<std::size_t> islands;
      for (const Json& island : json.at("islands"))
        islands.push_back(island.get<std::size_t>() - 1);
      return islands;
    }
  } catch (const Json::exception&) {  // told below
  }
  throw InputError(source, "expected the islands of a closed epoch, found something else");
}

/// The island of a record's file, counted from 0; nothing for another name.
std::optional<std::size_t> island_of(const std::string& name) {
  const std::string begin = "island-";
  const std::string end = ".json";
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size())
    return std::nullopt;
  const auto number =
      parse_whole_number(name.substr(begin.size(), name.size() - begin.size() - end.size()),
                         WholeRange{1, kMostIslands});
  return number ? std::optional<std::size_t>(*number - 1) : std::nullopt;
}

}  // namespace

IslandFolder::IslandFolder(std::string path, const Json& identity) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  const std::string run_file = path_ + "/" + kRunFile;
  const bool is_new = !fs::exists(path_) || (fs::is_directory(path_) && fs::is_empty(path_));
  if (!is_new && !fs::is_regular_file(run_file)) {
    throw Failure(FailureKind::input, path_ +
                                          ": expected a folder of islands, or nothing there; "
                                          "found no " +
                                          kRunFile + " in it");
  }
  if (is_new) {
    make_folder(path_);
    OutputFile(run_file).write(json_text(identity));
  } else {
    check(identity);
  }
  make_folder(path_ + "/engine");
}

void IslandFolder::check(const Json& identity) const {
  const std::string source = path_ + "/" + kRunFile;
  Json there;
  try {
    there = Json::parse(own_file_text(source));
  } catch (const Json::exception&) {
    throw InputError(source, "expected what islands wrote, found something else");
  }
  for (const auto& [key, value] : identity.items()) {
    if (there.contains(key) && there.at(key) == value) continue;
    throw InputError(source, "is of another run: its " + key + " differ" +
                                 (key.ends_with('s') ? "" : "s") + "; give --run another folder");
  }
}

std::string IslandFolder::engine_folder() const {
  return fs::absolute(path_ + "/engine").lexically_normal().string();
}

std::string IslandFolder::epoch_folder(std::size_t epoch) const {
  return path_ + "/epoch-" + std::to_string(epoch + 1);
}

std::string IslandFolder::closed_file(std::size_t epoch) const {
  return epoch_folder(epoch) + "/closed.json";
}

std::string IslandFolder::record_file(const optimize::IslandTurn& turn) const {
  return epoch_folder(turn.epoch) + "/island-" + std::to_string(turn.island + 1) + ".json";
}

bool IslandFolder::has(const optimize::IslandTurn& turn) const {
  return fs::is_regular_file(record_file(turn));
}

bool IslandFolder::is_closed(std::size_t epoch) const {
  return fs::is_regular_file(closed_file(epoch));
}

void IslandFolder::write(const optimize::IslandTurn& turn, const Json& record) const {
  make_folder(epoch_folder(turn.epoch));
  OutputFile(record_file(turn)).write(json_text(record));
}

std::vector<std::size_t> IslandFolder::done(std::size_t epoch) const {
  std::vector<std::size_t> islands;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(epoch_folder(epoch), ignored)) {
    if (const auto island = island_of(entry.path().filename().string())) islands.push_back(*island);
  }
  std::sort(islands.begin(), islands.end());
  return islands;
}

std::vector<std::optional<std::string>> IslandFolder::so_far(std::size_t epoch,
                                                             std::size_t islands) const {
  std::vector<std::optional<std::string>> texts(islands);
  for (const std::size_t island : done(epoch)) {
    if (island < islands) texts[island] = own_file_text(record_file({epoch, island}));
  }
  return texts;
}

std::vector<std::optional<std::string>> IslandFolder::closed(std::size_t epoch,
                                                             std::size_t islands) const {
  if (!is_closed(epoch)) close(epoch, islands);
  const std::string source = closed_file(epoch);
  std::vector<std::optional<std::string>> texts(islands);
  for (const std::size_t island : closed_islands(own_file_text(source), source)) {
    if (island < islands) texts[island] = own_file_text(record_file({epoch, island}));
  }
  return texts;
}

void IslandFolder::close(std::size_t epoch, std::size_t islands) const {
  Json json = new_report("islands_closed");
  json["islands"] = Json::array();
  for (const std::size_t island : done(epoch)) {
    if (island < islands) json["islands"].push_back(island + 1);
  }
  if (json["islands"].empty()) {
    throw Failure(FailureKind::input, path_ + ": no island of epoch " + std::to_string(epoch + 1) +
                                          " left a result; " + path_ +
                                          "/engine has what its tasks said");
  }
  const std::string target = closed_file(epoch);
  const std::string mine = target + "." + own_process_name();
  OutputFile(mine).write(json_text(json));
  const int error = link(mine.c_str(), target.c_str()) == 0 ? 0 : errno;
  unlink(mine.c_str());
  // Whether it was us or another: the file is there now, and whole.
  if (error != 0 && error != EEXIST) fail_to_write(target, std::strerror(error));
}

}  // namespace waferloom::cli
