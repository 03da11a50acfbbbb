#include "optimize/run_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <vector>

#include "model/run_control.h"

namespace waferloom::optimize {

bool SearchControl::has_time_for(Clock::duration step) const {
  const auto end = whole_ends ? whole_ends : deadline();
  return !interrupted() && (!end || step < *end - Clock::now());
}

std::string SearchControl::ended_by(const std::string& otherwise) const {
  if (interrupted()) return "interrupted";
  return is_cut() ? "time_limit" : otherwise;
}

SearchControl SearchControl::within(double share) const {
  SearchControl part = *this;
  if (time_limit) {
    if (!part.whole_ends) part.whole_ends = deadline();
    part.time_limit = std::chrono::duration_cast<std::chrono::microseconds>(*time_limit * share);
  }
  return part;
}

SearchControl SearchControl::part(int less_effort, std::size_t left) const {
  SearchControl part = *this;
  part.effort = std::max(1, effort - less_effort);
  part.start = Clock::now();
  if (const auto end = deadline()) {
    if (!part.whole_ends) part.whole_ends = end;
    using std::chrono::microseconds;
    const auto rest = std::max(*end - part.start, Clock::duration{0});
    part.time_limit =
        std::max(std::chrono::duration_cast<microseconds>(rest / (2 * left)), microseconds{1});
  }
  return part;
}

void run_parallel(std::size_t count, const SearchControl& control,
                  const std::function<void(std::size_t)>& task) {
  std::vector<std::exception_ptr> errors(count);
  parallel_tasks(count, control.threads, [&](std::size_t i) {
    try {
      task(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

void run_counted(std::size_t count, const SearchControl& control, const std::string& done,
                 const std::string& name, const std::function<void(std::size_t)>& task) {
  const std::string of = fmt::format("{}{}", count, count == 1 ? " plan" : " plans");
  std::mutex counting;
  std::size_t complete = 0;
  run_parallel(count, control, [&](std::size_t i) {
    task(i);
    const std::lock_guard lock(counting);
    if (++complete < count) {
      control.tell({fmt::format("{} {} of {}", done, complete, of), name});
    }
  });
}

}  // namespace waferloom::optimize
