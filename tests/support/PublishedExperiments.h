#pragma once
// The experiments of CharLLM-PPT (arXiv 2509.10371) as the real files list them, a row each, or a
// few invented ones.

#include "support/TestFiles.h"

#include <algorithm>
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

inline std::string experimentsOf(const std::string& root) {
    return root + "/research/p1_experiments.csv";
}

inline std::vector<ExperimentRow> readExperiments(const std::string& root) {
    std::ifstream file(experimentsOf(root));
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

// Number of experiments in a folder: 386 published ones, or four.
struct Experiments {
    std::string root;
    std::size_t count = 0;
    [[nodiscard]] bool areReal() const { return count > 4; }
};
inline std::vector<Experiments> allExperiments() {
    std::vector<Experiments> all{{standIns(), 4}};
    if (const std::string real = realFiles(); std::ifstream(experimentsOf(real)).good())
        all.push_back({real, 386});
    return all;
}

} // namespace trainscope::test
