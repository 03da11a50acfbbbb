#pragma once

#include "model/message_set.h"
#include "model/report.h"
#include "sim/message_run.h"

namespace waferloom::sim {

/// A report of schema waferloom/messages/1.
Json messages_json(const MessageSet& set, const MessageRunOptions& options,
                   const MessageTimes& times);

}  // namespace waferloom::sim
