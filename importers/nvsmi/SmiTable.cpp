#include "importers/nvsmi/SmiTable.h"

#include "core/model/AsciiText.h"
#include "importers/nvsmi/Cells.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace trainscope::importers::nvsmi {

namespace {

std::optional<double> numberWith(std::string_view text, std::string_view unit) {
    if (!text.ends_with(unit))
        return std::nullopt;
    const auto value = parseCell(text, CellForm::Number);
    return value && value->unit == unit ? std::optional(value->number) : std::nullopt;
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
    if (parts.size() < 2 || parts[0].size() > 4
        || !std::all_of(parts[0].begin(), parts[0].end(), isDigit))
        return false;
    m_gpu = {};
    for (const char c : parts[0])
        m_gpu.index = m_gpu.index * 10 + (c - '0');
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
    m_gpu.fan = numberWith(parts[0], "%");
    m_gpu.temperature = numberWith(parts[1], "C");
    if (const auto state = parseCell(parts[2], CellForm::PerformanceState))
        m_gpu.pstate = state->number;
    const auto [power, limit] = sides(cells[0].substr(cells[0].find(parts[2]) + parts[2].size()));
    m_gpu.power = numberWith(power, "W");
    m_gpu.powerLimit = numberWith(limit, "W");
    const auto [used, total] = sides(cells[1]);
    m_gpu.memoryUsed = numberWith(used, "MiB");
    m_gpu.memoryTotal = numberWith(lastWord(total), "MiB");
    m_gpu.utilization = numberWith(firstWord(cells[2]), "%");
    const bool any = m_gpu.temperature || m_gpu.power || m_gpu.memoryUsed || m_gpu.utilization;
    return any ? Line::Gpu : Line::Broken;
}

std::vector<Column> tableColumns() {
    return {columnOf("gpu_power", "W"), columnOf("power_limit", "W"),
        columnOf("gpu_temperature", "C"), columnOf("gpu_utilization", "%"),
        columnOf("mem_used", "MiB"), columnOf("mem_total", "MiB"), columnOf("fan_speed", "%"),
        columnOf("pstate", "")};
}

std::vector<double> tableNumbers(const TableGpu& gpu) {
    std::vector<double> numbers;
    for (const auto& value : {gpu.power, gpu.powerLimit, gpu.temperature, gpu.utilization,
             gpu.memoryUsed, gpu.memoryTotal, gpu.fan, gpu.pstate})
        numbers.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    return numbers;
}

} // namespace trainscope::importers::nvsmi
