#pragma once
// Published training runs as the real files list them, a row each: shape, layout, batch and what
// was measured.

#include "support/TestFiles.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::test {

struct MeasuredRow {
    int line = 0; // counts the data rows from 1
    std::map<std::string, std::string> cells; // by the column's name

    const std::string& operator[](const std::string& name) const { return cells.at(name); }
    [[nodiscard]] bool says(const std::string& name, const std::string& part) const {
        return cells.at(name).find(part) != std::string::npos;
    }
    // The number that the cell begins with; absent where there is none.
    [[nodiscard]] std::optional<int> number(const std::string& name) const {
        const std::string& text = cells.at(name);
        char* end = nullptr;
        const long value = std::strtol(text.c_str(), &end, 10);
        return end == text.c_str() ? std::nullopt : std::optional(static_cast<int>(value));
    }
};

// One line, with commas inside of quotes.
inline std::vector<std::string> quotedCells(const std::string& line) {
    std::vector<std::string> cells(1);
    bool isQuoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && isQuoted && i + 1 < line.size() && line[i + 1] == '"')
            cells.back() += line[++i];
        else if (c == '"')
            isQuoted = !isQuoted;
        else if (c == ',' && !isQuoted)
            cells.emplace_back();
        else if (c != '\r')
            cells.back() += c;
    }
    return cells;
}

// Empty where the real files are not there.
inline std::vector<MeasuredRow> measuredTraining() {
    std::ifstream file(realFiles() + "/data/measured_training.csv");
    std::vector<MeasuredRow> rows;
    std::string line;
    if (!std::getline(file, line))
        return rows;
    const auto names = quotedCells(line);
    while (std::getline(file, line)) {
        const auto cells = quotedCells(line);
        MeasuredRow row;
        row.line = static_cast<int>(rows.size()) + 1;
        for (std::size_t i = 0; i < names.size(); ++i)
            row.cells[names[i]] = i < cells.size() ? cells[i] : std::string();
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace trainscope::test
