#pragma once
// One line of CharLLM-PPT telemetry, `unix_seconds,value`: read with tolerance, and by a fast path
// for lines as CharLLM-PPT writes them.

#include <cstdint>
#include <string_view>

namespace trainscope::importers::charllm {

enum class LineKind {
    Sample,
    Missing, // a time with -1, an empty value, N/A, nan and the like
    Blank,
    Header, // words in place of the time; only a first line is one
    Bad,
};

struct TelemetryLine {
    LineKind kind = LineKind::Bad;
    std::int64_t ns = 0; // a sample's, and a missing one's
    double value = 0.0; // a sample's
    const char* problem = ""; // the fault of a bad one
};

TelemetryLine parseTelemetryLine(std::string_view text);

// The fast path for lines such as "1755000000.123456,693.227" or "1755000000,-1". Anything else is
// left to parseTelemetryLine(), which gives the same results for these: times exact to the
// nanosecond, values the double nearest to the text.
struct PlainLine {
    std::int64_t ns = 0;
    double value = 0.0; // NaN: missing
};

// `end[-1]` must be '\n'. The position behind the line's end, or nullptr for any other line.
const char* parsePlainLine(const char* p, const char* end, PlainLine& line);

} // namespace trainscope::importers::charllm
