#include "cli/options/help.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace waferloom::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kHelpColumn = 24;

/// The words of one paragraph from column `first` on, later lines from column `indent` on.
std::string wrapped_paragraph(const std::string& text, std::size_t first, std::size_t indent) {
  std::string result;
  std::size_t column = first;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (begin > 0 && column + 1 + end - begin > kColumns) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (begin > 0) {
      result += " ";
      ++column;
    }
    result += text.substr(begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return result + "\n";
}

/// Text whose lines are paragraphs, in a column that begins at `indent`, where the caller stands.
/// Behind the first, paragraphs in a column are items of a list: their later lines hang.
std::string wrapped(const std::string& text, std::size_t indent) {
  const std::size_t hang = indent == 0 ? 0 : indent + 2;
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string result = wrapped_paragraph(text.substr(0, end), indent, indent);
  for (std::size_t begin = end + 1; begin < text.size();) {
    const std::size_t next = std::min(text.find('\n', begin), text.size());
    result += std::string(indent, ' ') +
              wrapped_paragraph(text.substr(begin, next - begin), indent, hang);
    begin = next + 1;
  }
  return result;
}

struct Entry {
  std::string label;
  std::string text;
};

/// "  label   text", the text in its own column.
std::string entry_lines(const Entry& entry) {
  std::string line = "  " + entry.label;
  if (line.size() + 2 > kHelpColumn) {
    line += "\n" + std::string(kHelpColumn, ' ');
  } else {
    line.resize(kHelpColumn, ' ');
  }
  return line + wrapped(entry.text, kHelpColumn);
}

std::string option_label(const OptionSpec& option) {
  std::string label = option.letter == '\0' ? "    " : std::string("-") + option.letter + ", ";
  label += "--" + option.name;
  if (!option.value.empty()) label += " " + option.value;
  return label;
}

std::string option_list(const std::vector<OptionSpec>& options) {
  std::string text;
  for (const OptionSpec& option : options) {
    text += entry_lines({.label = option_label(option), .text = help_text(option)});
  }
  return text;
}

/// The options of all modes, then those of each mode or modes under a heading of their own.
std::string option_groups(const std::vector<OptionSpec>& options) {
  std::vector<std::vector<std::string>> groups{{}};
  for (const OptionSpec& option : options) {
    if (std::find(groups.begin(), groups.end(), option.modes) == groups.end()) {
      groups.push_back(option.modes);
    }
  }
  std::string text;
  for (const std::vector<std::string>& modes : groups) {
    std::vector<OptionSpec> rows;
    std::copy_if(options.begin(), options.end(), std::back_inserter(rows),
                 [&](const OptionSpec& option) { return option.modes == modes; });
    if (rows.empty()) continue;
    std::string heading = "Options";
    for (const std::string& mode : modes) {
      heading += (&mode == &modes.front() ? " with " : ", or with ") + mode;
    }
    text += "\n" + wrapped(heading + ":", 0) + option_list(rows);
  }
  return text;
}

std::string usage_lines(const std::vector<std::string>& synopses) {
  std::string text;
  for (const std::string& synopsis : synopses) {
    text += (text.empty() ? "Usage: " : "       ") + ("waferloom " + synopsis) + "\n";
  }
  return text;
}

std::string example_lines(const std::vector<std::string>& examples) {
  std::string text = "\nExamples:\n";
  for (const std::string& example : examples) text += "  " + example + "\n";
  return text;
}

/// The words of a command line, without the marks of one that goes on in the next line.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) {
    if (word != "\\") words.push_back(word);
  }
  return words;
}

}  // namespace

std::string command_help(const Command& command) {
  std::string text = usage_lines(command.usage);
  text += "\n" + wrapped(command.description, 0);
  if (!command.operands.empty()) text += "\nOperands:\n";
  for (const auto& operand : command.operands) text += entry_lines({operand.name, operand.help});
  text += option_groups(command.options);
  std::vector<OptionSpec> common = common_options();
  std::erase_if(common, [&](const OptionSpec& option) {
    return std::find(command.idle.begin(), command.idle.end(), option.name) != command.idle.end();
  });
  text += "\nCommon options:\n" + option_list(common);
  return text + example_lines(command.examples);
}

std::string program_help(const std::vector<const Command*>& commands) {
  std::string text = usage_lines({"COMMAND [options]", "help COMMAND"});
  text += "\nLays neural networks onto a wafer-scale mesh of tiles.\n\nCommands:\n";
  std::vector<std::string> examples;
  for (const Command* command : commands) {
    text += entry_lines({command->name, command->summary});
    examples.push_back(command->examples.front());
  }
  text += "\nCommon options:\n" + option_list(common_options());
  text += "\nExit codes:\n";
  text += entry_lines({"0", "done"});
  text += entry_lines({"1", "a bug of the program: please report it"});
  text += entry_lines({"2", "bad command line or bad input"});
  text += entry_lines({"3", "no legal placement exists, or none was found"});
  text += entry_lines({"4", "a check failed: the placement is illegal"});
  text += entry_lines({"5", "time limit or signal before any solution"});
  text += entry_lines({"130, 143", "SIGINT, SIGTERM; the best so far is written"});
  return text + example_lines(examples);
}

std::string example_for(const Command& command, const ArgumentValues& values) {
  const std::string& first = command.examples.front();
  if (command.operands.empty()) return "`" + first + "`";
  const auto given = values.find(command.operands.front().name);
  if (given == values.end() || !names_workload(given->second.front())) return "`" + first + "`";
  for (const std::string& example : command.examples) {
    std::vector<std::string> words = words_of(example);
    // Behind the command's name, not the file of an option.
    const auto network = std::find_if(words.begin() + 2, words.end(), names_workload);
    if (network == words.end() || (network - 1)->starts_with("-")) continue;
    *network = given->second.front();
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "`" : " ") + word;
    return text + "`";
  }
  return "`" + first + "`";
}

}  // namespace waferloom::cli
