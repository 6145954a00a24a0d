#pragma once
// One line of CharLLM-PPT telemetry, `unix_seconds,value`, read with tolerance: separators ',' ';'
// tab or blanks (with ';' also decimal commas), quotes, surrounding blanks, exponents.

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
    std::int64_t ns = 0; // of Sample and Missing
    double value = 0.0; // of Sample
    const char* problem = ""; // of Bad: what is wrong
};

TelemetryLine parseTelemetryLine(std::string_view text);

} // namespace trainscope::importers::charllm
