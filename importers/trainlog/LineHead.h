#pragma once
// Heads that launchers and loggers put before a line: the rank ("  1: ", "[default0]:", "[rank0]:",
// "nid008276: ", "(worker pid=7) "), a stamp ("[2024-10-24 16:30:14]", "2026-05-19 19:51:11,322 -
// root - INFO - ") and words in brackets.

#include "core/model/Time.h"

#include <optional>
#include <string_view>

namespace trainscope::importers::trainlog {

struct LogStamp {
    TimeNs time; // a local clock's as if that were UTC
    bool isUtc = false; // it names its zone
    DurationNs resolution; // 1 s, 1 ms: the moment lies within it
};

// Takes a date with a time off the front of `text`: "2024-10-24 16:30:14", with a fraction behind a
// point or comma, with "T", with a zone or none.
std::optional<LogStamp> takeStamp(std::string_view& text);

struct LineHead {
    std::string_view rank; // the last of the prefixes that tell ranks apart; may be empty
    std::optional<LogStamp> stamp;
    std::string_view rest; // without blanks before it
    std::string_view whole; // as the log has it
};
LineHead splitHead(std::string_view line);

} // namespace trainscope::importers::trainlog
