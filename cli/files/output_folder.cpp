#include "cli/files/output_folder.h"

#include <filesystem>
#include <utility>

#include "cluster/output_file.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

void write_into(const std::string& folder, const std::vector<OutputFolder::File>& files) {
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    OutputFile(folder + "/" + file->name).write(file->bytes);
  }
}

}  // namespace

OutputFolder::OutputFolder(const std::vector<std::string>& names, std::string path,
                           const std::vector<std::string>& inputs)
    : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  if (fs::is_symlink(path_)) cluster::fail_to_write({path_, "it is a symbolic link"});
  if (!fs::exists(path_)) {
    OutputFile probe(path_);  // the same demands on the parent
    return;
  }
  if (!fs::is_directory(path_)) cluster::fail_to_write({path_, "it is not a folder"});
  std::vector<OutputFile> files;
  files.reserve(names.size());
  for (const std::string& name : names) files.emplace_back(path_ + "/" + name);
  std::vector<const OutputFile*> pointers;
  for (const OutputFile& file : files) pointers.push_back(&file);
  check_distinct(pointers, inputs);
}

void OutputFolder::write(const std::vector<File>& files) const {
  if (fs::exists(path_)) {
    write_into(path_, files);
    return;
  }
  cluster::NewFolder folder(path_);
  write_into(folder.path(), files);
  folder.rename_to_target();
}

}  // namespace waferloom::cli
