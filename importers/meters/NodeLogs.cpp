#include "importers/meters/NodeLogs.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/CellSplitter.h"
#include "importers/common/Cells.h"
#include "importers/common/Number.h"
#include "importers/meters/JsonEvents.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace trainscope::importers::meters {

Who wholeNode() {
    Who who;
    who.kind = SubjectKind::Node;
    return who;
}

Status addMachinePower(MeterLog& log, TimeNs time, double watts) {
    if (log.switchName().empty())
        return log.add(wholeNode(), meterSeries("node_power", "W"), time, watts);
    Who who;
    who.kind = SubjectKind::Switch;
    who.device = log.switchName();
    return log.add(who, meterSeries("switch_power", "W"), time, watts);
}

namespace {

Status addPower(MeterLog& log, TimeNs time, double watts) {
    log.row();
    return addMachinePower(log, time, watts);
}

// ":::MLLOG {"time_ms": …, "key": "power_reading", "value": 3418.0, …}"
class MllogReader final : public MeterReader, private JsonEvents::Visitor {
public:
    Status take(std::string_view line, MeterLog& log) override {
        constexpr std::string_view kMark = ":::MLLOG";
        const std::size_t at = line.find(kMark);
        if (at == std::string_view::npos)
            return {};
        m_members.clear();
        JsonEvents json;
        json.take(line.substr(at + kMark.size()), *this);
        json.finish(*this);
        const auto key = m_members.find("key");
        if (key == m_members.end() || !json.isComplete()) {
            log.skip("The line breaks off: " + meterExcerpt(line));
            return {};
        }
        if (key->second == "conversion_eff") {
            const std::string& type = m_members["metadata/measurement_type"];
            log.report().facts["conversion_efficiency"]
                = m_members["value"] + (type.empty() ? std::string() : ", measured " + type);
        }
        if (key->second != "power_reading")
            return {};
        const auto stamp = parseStamp(m_members["time_ms"]);
        if (!stamp) {
            log.skip("The reading has no time: " + meterExcerpt(line));
            return {};
        }
        const auto watts = parseNumber(m_members["value"]);
        return addPower(log, log.at(*stamp), watts.value_or(kMissing));
    }

private:
    void value(const JsonEvents& where, std::string_view text, bool) override {
        if (where.depth() <= 2)
            m_members[where.path()] = text;
    }

    std::map<std::string, std::string, std::less<>> m_members;
};

// "Time,03-18-2021 21:29:10.371,Watts,491.4,Volts,206.7,Amps,2.478,PF,0.9593,Mark,testing"
class PtdReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        if (trimmed(line).empty())
            return {};
        const auto& cells = m_splitter.split(line, ',');
        std::optional<Stamp> stamp;
        for (std::size_t i = 0; i + 1 < cells.size(); i += 2) {
            if (cells[i] == "Time")
                stamp = stampOf(cells[i + 1]);
        }
        if (!stamp || cells.size() < 4) {
            log.skip("The line has no reading: " + meterExcerpt(line));
            return {};
        }
        const TimeNs time = log.at(*stamp);
        for (std::size_t i = 0; i + 1 < cells.size(); i += 2)
            RETURN_IF_ERROR(takePair(cells[i], cells[i + 1], time, log));
        return {};
    }

private:
    // The month comes first.
    static std::optional<Stamp> stampOf(std::string_view text) {
        if (text.size() < 19 || text[2] != '-' || text[5] != '-')
            return std::nullopt;
        std::string turned(text.substr(6, 4));
        turned.append("-").append(text.substr(0, 2)).append("-").append(text.substr(3, 2));
        return parseStamp(turned.append(text.substr(10)));
    }

    static Status takePair(
        std::string_view name, std::string_view text, TimeNs time, MeterLog& log) {
        const auto number = parseNumber(text);
        const double value = number && *number != -1.0 ? *number : kMissing; // -1: out of range
        if (name == "Watts")
            return addPower(log, time, value);
        if (name == "Volts")
            return log.add(wholeNode(), meterSeries("supply_voltage", "V"), time, value);
        if (name == "Amps")
            return log.add(wholeNode(), meterSeries("supply_current", "A"), time, value);
        if (name == "PF")
            return log.add(wholeNode(), meterSeries("power_factor", {}), time, value);
        return {};
    }

    CellSplitter m_splitter;
};

// "1.000123,52.31,Joules,power/energy-pkg/,…": the energy since the line before.
class PerfReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        const std::string_view plain = trimmed(line);
        if (plain.empty() || plain.starts_with('#'))
            return {};
        const auto& cells = m_splitter.split(plain, ',');
        const auto stamp = cells.size() < 4 ? std::nullopt : parseStamp(cells[0]);
        if (!stamp) {
            log.skip("The line has no reading: " + meterExcerpt(line));
            return {};
        }
        std::size_t at = 1; // per socket: "S0,1," come before the value
        while (at + 2 < cells.size() && cells[at + 1] != "Joules")
            ++at;
        if (at + 2 >= cells.size())
            return {};
        const std::string part = at > 1 ? std::string(cells[1]) : std::string();
        const std::string event(cells[at + 2]);
        TimeNs& before = m_times[part + event];
        const DurationNs taken = stamp->time - std::exchange(before, stamp->time);
        const auto joules = parseNumber(cells[at]);
        log.row();
        const bool isDram = event.find("ram") != std::string::npos;
        Who who = wholeNode();
        if (event.find("psys") == std::string::npos) {
            who.kind = SubjectKind::Link;
            who.device = (isDram ? "memory" : "package") + (part.empty() ? part : " " + part);
        }
        const std::string_view metric = who.kind == SubjectKind::Node ? "node_power"
            : isDram                                                  ? "dram_power"
                                                                      : "cpu_power";
        const double watts = joules && taken.ns > 0 ? *joules / taken.seconds() : kMissing;
        return log.add(who, meterSeries(metric, "W", SensorKind::Averaged), log.at(*stamp), watts);
    }

private:
    CellSplitter m_splitter;
    std::map<std::string, TimeNs, std::less<>> m_times;
};

// One line a run, with its end, its duration and its means: each is held from start to end.
class CodeCarbonReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        if (trimmed(line).empty())
            return {};
        const auto& cells = m_splitter.split(line, ',');
        if (m_names.empty()) {
            m_names.assign(cells.begin(), cells.end());
            return {};
        }
        const auto cell = [&](std::string_view name) {
            for (std::size_t i = 0; i < m_names.size() && i < cells.size(); ++i) {
                if (m_names[i] == name)
                    return cells[i];
            }
            return std::string_view();
        };
        const auto end = parseStamp(cell("timestamp"));
        const auto seconds = parseNumber(cell("duration"));
        constexpr double kLongest = 1e9;
        if (!end || !seconds || *seconds < 0.0 || *seconds > kLongest) {
            log.skip("The line has no time or duration: " + meterExcerpt(line));
            return {};
        }
        log.row();
        const TimeNs last = log.at(*end);
        const TimeNs first = last - DurationNs{static_cast<std::int64_t>(*seconds * 1e9)};
        for (const auto& [name, metric] : kPowers) {
            if (const auto watts = parseNumber(cell(name))) {
                for (const TimeNs time : {first, last})
                    RETURN_IF_ERROR(log.add(
                        wholeNode(), meterSeries(metric, "W", SensorKind::Averaged), time, *watts));
            }
        }
        for (const std::string_view name :
            {"emissions", "energy_consumed", "gpu_energy", "cpu_energy", "ram_energy", "pue"})
            if (const std::string_view text = cell(name); !text.empty())
                log.report().facts["codecarbon_" + std::string(name)] = text;
        return {};
    }

private:
    using Named = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Named, 3> kPowers{Named{"cpu_power", "cpu_power"},
        Named{"ram_power", "dram_power"}, Named{"gpu_power", "all_gpu_power"}};

    CellSplitter m_splitter;
    std::vector<std::string> m_names;
};

} // namespace

std::unique_ptr<MeterReader> makeMllogReader() {
    return std::make_unique<MllogReader>();
}
std::unique_ptr<MeterReader> makePtdReader() {
    return std::make_unique<PtdReader>();
}
std::unique_ptr<MeterReader> makePerfReader() {
    return std::make_unique<PerfReader>();
}
std::unique_ptr<MeterReader> makeCodeCarbonReader() {
    return std::make_unique<CodeCarbonReader>();
}

} // namespace trainscope::importers::meters
