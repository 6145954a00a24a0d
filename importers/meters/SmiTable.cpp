// The table that plain `nvidia-smi` draws, once or again and again. Its time is that of its banner,
// of a line before it, or of the line that `-l` puts in front; it says no zone.

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Cells.h"
#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters {

namespace {

// The value with that unit; NaN for anything else.
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

std::string_view wordAt(std::string_view text, bool isLast) {
    const auto all = words(text, " ");
    return all.empty() ? std::string_view() : isLast ? all.back() : all.front();
}

class SmiTableReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        line = trimmed(line);
        if (!line.starts_with('|')) {
            if (const auto stamp = parseDateLine(line.substr(0, line.find_first_of(",;"))))
                m_time = stamp;
            m_awaitsValues = m_awaitsValues && !line.starts_with("+--");
            return {};
        }
        const auto cells = words(line, "|");
        if (cells.size() != 3)
            return {};
        if (std::exchange(m_awaitsValues, false))
            return takeValues(cells, log);
        const bool hasBus = cells[1].find(':') != std::string_view::npos
            && cells[1].find('.') != std::string_view::npos;
        m_awaitsValues = hasBus && takeName(trimmed(cells[0]));
        return {};
    }

private:
    // "0  NVIDIA A100-SXM4-40GB          On": the last word is the persistence mode.
    bool takeName(std::string_view cell) {
        const auto parts = words(cell, " ");
        const auto index = parts.size() < 2 ? std::nullopt : wholeNumber<int>(parts[0]);
        if (!index || *index < 0 || parts[0].size() > 4)
            return false;
        m_who = {};
        m_who.id = std::to_string(*index);
        const bool hasMode = parts.back() == "On" || parts.back() == "Off";
        for (std::size_t i = 1; i < parts.size() - (hasMode ? 1 : 0); ++i)
            m_who.model += (i == 1 ? "" : " ") + std::string(parts[i]);
        return true;
    }
    // "N/A   31C    P0             55W /  400W", "3MiB /  40960MiB", "7%      Default".
    Status takeValues(const std::vector<std::string_view>& cells, MeterLog& log) {
        const auto parts = words(cells[0], " ");
        if (parts.size() < 3)
            return broken(log);
        const auto state = parseCell(parts[2], CellForm::PerformanceState);
        const auto [power, limit]
            = sides(cells[0].substr(cells[0].find(parts[2]) + parts[2].size()));
        const auto [used, total] = sides(cells[1]);
        struct Value {
            std::string_view metric;
            std::string_view unit;
            double number;
        };
        const std::array<Value, 8> values{Value{"gpu_power", "W", numberWith(power, "W")},
            {"power_limit", "W", numberWith(limit, "W")},
            {"gpu_temperature", "C", numberWith(parts[1], "C")},
            {"gpu_utilization", "%", numberWith(wordAt(cells[2], false), "%")},
            {"mem_used", "MiB", numberWith(used, "MiB")},
            {"mem_total", "MiB", numberWith(wordAt(total, true), "MiB")},
            {"fan_speed", "%", numberWith(parts[0], "%")},
            {"pstate", "", state ? state->number : kMissing}};
        constexpr std::ptrdiff_t kTelling = 5; // a line has at least one of these
        if (std::all_of(values.begin(), values.begin() + kTelling,
                [](const Value& value) { return std::isnan(value.number); }))
            return broken(log);
        if (!m_time && !log.hasStart()) {
            log.skip("A table without date: a snapshot that has no place on a time axis. Record "
                     "with nvidia-smi --query-gpu=timestamp,index,power.draw,… --format=csv -l 1 "
                     "instead.");
            return {};
        }
        const TimeNs time = m_time ? log.at(*m_time) : log.now();
        log.row();
        for (const Value& value : values)
            RETURN_IF_ERROR(
                log.add(m_who, meterSeries(value.metric, value.unit), time, value.number));
        return {};
    }
    static Status broken(MeterLog& log) {
        log.skip("The second line of a GPU in the table could not be read.");
        return {};
    }

    std::optional<Stamp> m_time;
    Who m_who;
    bool m_awaitsValues = false; // the next line has those of the GPU
};

} // namespace

bool isSmiTable(const std::vector<std::string>& lines) {
    const std::size_t last = std::min<std::size_t>(lines.size(), 40);
    for (std::size_t i = 1; i < last; ++i) {
        if (trimmed(lines[i]).starts_with("| NVIDIA-SMI ")
            && trimmed(lines[i - 1]).starts_with("+--"))
            return true;
    }
    return false;
}

const MakeMeterReader makeSmiTableReader = makeReader<SmiTableReader>;

} // namespace trainscope::importers::meters
