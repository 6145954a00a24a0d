#include "importers/nvsmi/Layout.h"

#include "core/model/AsciiText.h"
#include "importers/common/LineReader.h"
#include "importers/nvsmi/Cells.h"
#include "importers/nvsmi/Guess.h"
#include "importers/nvsmi/Identity.h"

#include <algorithm>
#include <array>
#include <set>

namespace trainscope::importers::nvsmi {

namespace {

using Role = Column::Role;
constexpr std::size_t kHeaderWithin = 200; // lines
constexpr std::size_t kRowsToJudge = 600;

// Columns of other tools' logs whose remaining names look like ours.
constexpr std::array<std::string_view, 9> kForeign{"emissions", "project_name", "socket_power",
    "gfx_activity", "hotspot_temperature", "timestampus", "dataset", "gfx_0_clk",
    "codecarbon_version"};

bool isForeign(std::string_view line) {
    return std::any_of(kForeign.begin(), kForeign.end(),
        [line](std::string_view name) { return containsIgnoringCase(line, name); });
}

int headerConfidence(const std::vector<Column>& columns, std::string_view line) {
    int metrics = 0;
    int gpuWords = 0;
    bool hasStamp = false;
    bool hasUnit = false;
    for (const Column& column : columns) {
        const bool metric = column.role == Role::Metric && column.certain;
        metrics += metric ? 1 : 0;
        hasStamp = hasStamp || column.role == Role::Stamp || column.role == Role::Elapsed;
        hasUnit = hasUnit || (metric && column.header.find('[') != std::string::npos);
        const bool isId
            = column.role == Role::Gpu || column.role == Role::Uuid || column.role == Role::BusId;
        gpuWords += (isId || column.gpu >= 0 || containsIgnoringCase(column.header, "gpu")) ? 1 : 0;
    }
    const bool queried = containsIgnoringCase(line, "power.draw")
        || containsIgnoringCase(line, "utilization.") || containsIgnoringCase(line, "temperature.")
        || containsIgnoringCase(line, "clocks.") || containsIgnoringCase(line, "memory.used");
    if (metrics == 0 || isForeign(line))
        return 0;
    if (!hasStamp)
        return queried ? 60 : 0;
    if (hasUnit || queried)
        return 95;
    return gpuWords > 0 || metrics >= 2 ? 80 : 0;
}

bool isTable(const std::vector<std::string>& lines) {
    const std::size_t last = std::min<std::size_t>(lines.size(), 40);
    for (std::size_t i = 0; i < last; ++i) {
        const std::string_view line = trimmed(lines[i]);
        if (line.starts_with("| NVIDIA-SMI ") && i > 0 && trimmed(lines[i - 1]).starts_with("+--"))
            return true;
    }
    return false;
}

void findParts(Layout& layout) {
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
        const int at = static_cast<int>(i);
        const Role role = layout.columns[i].role;
        const auto take = [at](int& part) { part = part < 0 ? at : part; };
        if (role == Role::Stamp)
            take(layout.stamp);
        else if (role == Role::Host)
            take(layout.host);
        else if (role == Role::Name)
            take(layout.name);
        else if (role == Role::Uuid)
            take(layout.uuid);
    }
}

std::vector<Cells> collectRows(
    const std::vector<std::string>& lines, std::size_t from, char separator) {
    std::vector<Cells> rows;
    CellSplitter splitter;
    for (std::size_t i = from; i < lines.size() && rows.size() < kRowsToJudge; ++i) {
        if (trimmed(lines[i]).empty() || !headerColumns(lines[i], separator).empty())
            continue;
        const auto& cells = splitter.split(lines[i], separator);
        rows.emplace_back(cells.begin(), cells.end());
    }
    return rows;
}

// Rows of another width (noise, cut lines) tell nothing about the columns.
void keepFitting(std::vector<Cells>& rows, std::size_t width) {
    std::erase_if(rows, [width](const Cells& row) { return row.size() != width; });
}

Result<Layout> finish(Layout layout, std::vector<Cells> rows) {
    keepFitting(rows, layout.columns.size());
    findParts(layout);
    settleForms(layout.columns, rows, layout.notes);
    settleColumns(layout.columns, layout.notes);
    findParts(layout);
    settleIdentity(layout, rows);
    return layout;
}

Result<Layout> withoutHeader(const std::vector<std::string>& lines) {
    Layout layout;
    std::set<std::pair<char, std::size_t>> tried; // starting a line later tells nothing new
    for (std::size_t i = 0; i < std::min(lines.size(), kHeaderWithin); ++i) {
        const char separator = separatorOf(lines[i]);
        if (!tried.emplace(separator, CellSplitter{}.split(lines[i], separator).size()).second)
            continue;
        auto rows = collectRows(lines, i, separator);
        const std::size_t width = commonWidth(rows);
        keepFitting(rows, width);
        if (rows.empty() || rows.front().size() != CellSplitter{}.split(lines[i], separator).size())
            continue;
        layout.confidence = guessColumns(rows, layout.columns, layout.notes);
        if (layout.confidence == 0)
            continue;
        layout.separator = separator;
        return finish(std::move(layout), std::move(rows));
    }
    return Error{ErrorCode::Unrecognised,
        "No column names or units of nvidia-smi were found in its first lines.", {}};
}

} // namespace

std::vector<Column> headerColumns(std::string_view line, char separator) {
    if (line.size() > 8192 || line.empty())
        return {};
    CellSplitter splitter;
    const auto& cells = splitter.split(line, separator);
    if (cells.empty() || parseStamp(cells.front()) || cells.size() > 512)
        return {};
    std::vector<Column> columns;
    for (const std::string_view cell : cells)
        columns.push_back(columnNamed(cell));
    return headerConfidence(columns, line) > 0 ? columns : std::vector<Column>{};
}

Result<Layout> readLayout(const std::vector<std::string>& lines) {
    if (isTable(lines)) {
        Layout layout;
        layout.shape = Layout::Shape::Table;
        layout.confidence = 90;
        return layout;
    }
    for (std::size_t i = 0; i < std::min(lines.size(), kHeaderWithin); ++i) {
        const char separator = separatorOf(lines[i]);
        auto columns = headerColumns(lines[i], separator);
        if (columns.empty())
            continue;
        Layout layout;
        layout.separator = separator;
        layout.hasHeader = true;
        layout.confidence = headerConfidence(columns, lines[i]);
        layout.columns = std::move(columns);
        return finish(std::move(layout), collectRows(lines, i + 1, separator));
    }
    return withoutHeader(lines);
}

std::vector<std::string> linesOfHead(std::string_view head, std::size_t limit) {
    std::vector<std::string> lines;
    const auto tree = memoryTree({{"head", std::string(head)}});
    auto stream = tree->openRaw("head");
    if (!stream.hasValue())
        return lines;
    LineReader reader(std::move(stream).value());
    while (true) {
        const auto line = reader.next();
        if (!line.hasValue() || !line.value())
            break;
        lines.emplace_back(*line.value());
    }
    if (head.size() >= limit && lines.size() > 1)
        lines.pop_back();
    return lines;
}

} // namespace trainscope::importers::nvsmi
