#pragma once
// The value of one cell: "115.49 W", "100 %", "P0", "0x0000000000000004", "[N/A]", "115,49".

#include <optional>
#include <string_view>

namespace trainscope::importers::nvsmi {

enum class CellForm {
    Number, // with or without a unit
    PerformanceState, // P0 to P15
    Hex, // bit mask
    Flag, // Active, Not Active, Enabled, Disabled, Yes, No
};

struct CellValue {
    double number = 0.0;
    std::string_view unit; // as written; empty: none
};

// Absent: not a value of that form (missing markers included, see isMissingCell).
std::optional<CellValue> parseCell(std::string_view text, CellForm form);

// Markers of "no value": those of isMissingText, anything in brackets, and a lone -1.
bool isMissingCell(std::string_view text);

// The form that the text has, for columns whose name says nothing.
std::optional<CellForm> formOf(std::string_view text);

} // namespace trainscope::importers::nvsmi
