#pragma once
// The experiments of CharLLM-PPT (arXiv 2509.10371) as the shared files list them, a row each; none
// where the shared files are absent.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace trainscope::test {

struct ExperimentRow {
    std::map<std::string, std::string> cells; // by the column's name

    const std::string& operator[](const std::string& name) const { return cells.at(name); }
};

inline std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
        if (c == ',')
            cells.emplace_back();
        else if (c != '\r')
            cells.back() += c;
    }
    return cells;
}

inline std::vector<ExperimentRow> publishedExperiments() {
    const char* shared = std::getenv("TRAINSCOPE_SHARED");
    std::ifstream file(
        std::string(shared == nullptr ? "" : shared) + "/research/p1_experiments.csv");
    std::vector<ExperimentRow> rows;
    std::string line;
    if (!std::getline(file, line))
        return rows;
    const auto names = cellsOf(line);
    while (std::getline(file, line)) {
        const auto cells = cellsOf(line);
        ExperimentRow row;
        for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i)
            row.cells[names[i]] = cells[i];
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace trainscope::test
