#pragma once
// Label of a span's track in a trace, without the rank.

#include "core/model/Span.h"

namespace trainscope::importers {

struct TrackLabel {
    TrackKind kind = TrackKind::Other;
    int device = -1;
    std::string process;
    std::string thread;
};

} // namespace trainscope::importers
