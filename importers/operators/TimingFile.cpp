#include "importers/operators/TimingFile.h"

#include "importers/common/CellSplitter.h"
#include "importers/common/LineBlocks.h"
#include "importers/common/Number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace trainscope::importers::operators {

namespace {

std::optional<std::vector<double>> numbersOf(const Cells& cells) {
    std::vector<double> numbers;
    numbers.reserve(cells.size());
    for (const std::string_view cell : cells) {
        const auto number = parseNumber(cell);
        if (!number || !std::isfinite(*number))
            return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

} // namespace

bool TimingTable::has(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void forEachLine(const SourceTree& tree, const std::string& path, ImportReport& report,
    const std::function<void(std::int64_t, const Cells&)>& take) {
    auto stream = tree.open(path);
    if (!stream.hasValue()) {
        report.warn(path, 0, stream.error().message);
        return;
    }
    LineReader reader(std::move(stream).value());
    CellSplitter splitter;
    while (true) {
        const auto line = reader.next();
        if (!line.hasValue()) {
            report.warn(path, reader.lineNumber(), line.error().message);
            return;
        }
        if (!line.value())
            return;
        const Cells& cells = splitter.split(*line.value(), ',');
        if (cells.size() > 1 || !cells.front().empty())
            take(reader.lineNumber(), cells);
    }
}

TimingTable readTable(const SourceTree& tree, const std::string& path, ImportReport& report) {
    TimingTable table;
    forEachLine(tree, path, report, [&](std::int64_t line, const Cells& cells) {
        if (table.names.empty()) {
            table.names.assign(cells.begin(), cells.end());
            return;
        }
        auto numbers = cells.size() == table.names.size() ? numbersOf(cells) : std::nullopt;
        if (numbers) {
            ++report.rows;
            table.rows.push_back(std::move(*numbers));
            return;
        }
        ++report.skipped;
        report.warn(path, line,
            cells.size() == table.names.size()
                ? "A cell of this line is no number."
                : fmt::format("This line has {} cells where the first has {}.", cells.size(),
                    table.names.size()));
    });
    return table;
}

} // namespace trainscope::importers::operators
