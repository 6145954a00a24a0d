#include "importers/nvsmi/SmiTable.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Cells.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::ptrdiff_t kTelling = 5; // the columns of which a line has at least one

// NaN for anything else.
double numberWith(std::string_view text, std::string_view unit) {
    const auto value = text.ends_with(unit) ? parseCell(text, CellForm::Number) : std::nullopt;
    return value && value->unit == unit ? value->number : kMissing;
}

// "100W /  700W" → both sides.
std::pair<std::string_view, std::string_view> sides(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return {trimmed(text), {}};
    return {trimmed(text.substr(0, slash)), trimmed(text.substr(slash + 1))};
}

std::string_view firstWord(std::string_view text) {
    const auto all = words(text, " ");
    return all.empty() ? std::string_view() : all.front();
}

std::string_view lastWord(std::string_view text) {
    const auto all = words(text, " ");
    return all.empty() ? std::string_view() : all.back();
}

} // namespace

SmiTable::Line SmiTable::feed(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with('|')) {
        readTime(line);
        if (line.starts_with("+--"))
            m_awaitValues = false;
        return Line::Nothing;
    }
    const auto cells = words(line, "|");
    if (cells.size() != 3)
        return Line::Nothing;
    if (m_awaitValues)
        return readValues(line);
    const bool hasBus = cells[1].find(':') != std::string_view::npos
        && cells[1].find('.') != std::string_view::npos;
    m_awaitValues = hasBus && readName(trimmed(cells[0]));
    return Line::Nothing;
}

void SmiTable::readTime(std::string_view line) {
    if (line.empty() || line.size() > 200)
        return;
    std::string plain(line);
    std::erase(plain, '"');
    const std::size_t comma = plain.find_first_of(",;");
    if (comma != std::string::npos) {
        if (const auto stamp = parseStamp(std::string_view(plain).substr(0, comma)))
            m_time = stamp;
        return;
    }
    if (const auto stamp = parseStamp(plain))
        m_time = stamp;
    else if (const auto banner = parseBannerDate(plain))
        m_time = banner;
}

bool SmiTable::readName(std::string_view cell) {
    const auto parts = words(cell, " ");
    const auto index = parts.size() < 2 ? std::nullopt : wholeNumber<int>(parts[0]);
    if (!index || *index < 0 || parts[0].size() > 4)
        return false;
    m_gpu = {*index, {}, {}};
    // The last word is the persistence mode.
    const bool mode = parts.back() == "On" || parts.back() == "Off";
    for (std::size_t i = 1; i < parts.size() - (mode ? 1 : 0); ++i)
        m_gpu.name += (i == 1 ? "" : " ") + std::string(parts[i]);
    return true;
}

SmiTable::Line SmiTable::readValues(std::string_view line) {
    m_awaitValues = false;
    const auto cells = words(line, "|");
    const auto parts = words(cells[0], " ");
    if (parts.size() < 3)
        return Line::Broken;
    const auto state = parseCell(parts[2], CellForm::PerformanceState);
    const auto [power, limit] = sides(cells[0].substr(cells[0].find(parts[2]) + parts[2].size()));
    const auto [used, total] = sides(cells[1]);
    m_gpu.numbers = {numberWith(power, "W"), numberWith(limit, "W"), numberWith(parts[1], "C"),
        numberWith(firstWord(cells[2]), "%"), numberWith(used, "MiB"),
        numberWith(lastWord(total), "MiB"), numberWith(parts[0], "%"),
        state ? state->number : kMissing};
    const bool any = std::any_of(m_gpu.numbers.begin(), m_gpu.numbers.begin() + kTelling,
        [](double number) { return !std::isnan(number); });
    return any ? Line::Gpu : Line::Broken;
}

std::vector<Column> tableColumns() {
    return {columnOf("gpu_power", "W"), columnOf("power_limit", "W"),
        columnOf("gpu_temperature", "C"), columnOf("gpu_utilization", "%"),
        columnOf("mem_used", "MiB"), columnOf("mem_total", "MiB"), columnOf("fan_speed", "%"),
        columnOf("pstate", "")};
}

} // namespace trainscope::importers::nvsmi
