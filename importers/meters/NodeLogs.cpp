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

namespace {

Who wholeNode() {
    Who who;
    who.kind = SubjectKind::Node;
    return who;
}

// A reading of the machine that the file is of: its node, or the switch that its name says.
Status addPower(MeterLog& log, TimeNs time, double watts) {
    log.row();
    if (log.switchName().empty())
        return log.add(wholeNode(), meterSeries("node_power", "W"), time, watts);
    Who who;
    who.kind = SubjectKind::Switch;
    who.device = log.switchName();
    return log.add(who, meterSeries("switch_power", "W"), time, watts);
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

// Tables of sensors, and blocks of dcmi, one after the other; dates between them are theirs.
class IpmiReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        const std::string_view plain = trimmed(line);
        if (const auto stamp = stampIn(plain)) {
            m_stamp = stamp;
            m_seen.clear();
            return giveDcmi(log);
        }
        if (plain.find('|') != std::string_view::npos)
            return takeSensor(plain, log);
        return takeDcmi(plain, log);
    }
    Status finish(MeterLog& log) override { return giveDcmi(log); }

private:
    // Of a line that is a date, or that tells the controller's.
    static std::optional<Stamp> stampIn(std::string_view plain) {
        constexpr std::string_view kName = "IPMI timestamp:";
        if (plain.starts_with(kName)) {
            plain = trimmed(plain.substr(kName.size()));
            plain = trimmed(plain.substr(0, plain.find("Sampling")));
        }
        if (plain.size() < 8 || plain.size() > 40 || plain.find('|') != std::string_view::npos)
            return std::nullopt;
        if (plain.find(':') == std::string_view::npos && plain.size() < 10)
            return std::nullopt;
        const auto stamp = parseStamp(plain);
        return stamp && stamp->kind != StampKind::Relative ? stamp : parseBannerDate(plain);
    }

    TimeNs timeOf(const std::string& name, MeterLog& log) {
        if (m_stamp)
            return log.at(*m_stamp);
        if (!m_seen.insert(name).second) {
            m_seen = {name};
            ++m_reading;
        }
        return log.at(m_reading);
    }

    Status takeSensor(std::string_view plain, MeterLog& log) {
        const auto cells = words(plain, "|");
        if (cells.size() < 3)
            return {};
        const std::string_view name = trimmed(cells[0]);
        std::string_view text = trimmed(cells[1]);
        std::string_view unit = trimmed(cells[2]);
        if (cells.size() == 3
            || !parseNumber(text)) { // sdr: "344 Watts", in the last cell of elist
            text = cells.size() >= 5 ? trimmed(cells[4]) : text;
            const std::size_t blank = text.find(' ');
            unit = blank == std::string_view::npos ? std::string_view()
                                                   : trimmed(text.substr(blank));
            text = text.substr(0, blank);
        }
        const auto number = parseNumber(text);
        if (unit == "discrete"
            || (!number && !isMissingText(text) && text != "no" && text != "disabled"))
            return {};
        log.row();
        double value = number.value_or(kMissing);
        if (isFahrenheit(unit))
            value = celsiusOf(value);
        return log.add(whose(name, unit), what(name, unit), timeOf(std::string(name), log), value);
    }

    static bool isWhole(std::string_view name) {
        for (const std::string_view word : {"pwr consumption", "total power", "total_power",
                 "sys power", "system power", "sys_power", "power meter", "input power",
                 "chassis power", "sysload power", "board power", "total pwr"}) {
            if (containsIgnoringCase(name, word))
                return true;
        }
        return false;
    }

    static Who whose(std::string_view name, std::string_view unit) {
        Who who = wholeNode();
        const bool isInlet = containsIgnoringCase(name, "inlet");
        if ((isWatts(unit) && isWhole(name)) || (isDegrees(unit) && isInlet))
            return who;
        who.kind = SubjectKind::Link;
        who.device = name;
        return who;
    }
    static bool isWatts(std::string_view unit) { return containsIgnoringCase(unit, "watt"); }
    static bool isDegrees(std::string_view unit) { return containsIgnoringCase(unit, "degree"); }

    static SeriesDescription what(std::string_view name, std::string_view unit) {
        if (isWatts(unit))
            return isWhole(name) ? meterSeries("node_power", "W")
                                 : meterSeries("sensor_power", "W");
        if (isDegrees(unit))
            return meterSeries(
                containsIgnoringCase(name, "inlet") ? "inlet_temperature" : "sensor_temperature",
                "C");
        if (containsIgnoringCase(unit, "rpm"))
            return meterSeries("fan_rotation", "1/min");
        if (containsIgnoringCase(unit, "volt"))
            return meterSeries("sensor_voltage", "V");
        if (containsIgnoringCase(unit, "amp"))
            return meterSeries("sensor_current", "A");
        return ownMeterSeries("sensor", containsIgnoringCase(unit, "percent") ? "%" : unit);
    }

    // "Instantaneous power reading:   220 Watts"; its time comes behind it.
    Status takeDcmi(std::string_view plain, MeterLog& log) {
        const std::size_t colon = plain.find(':');
        if (colon == std::string_view::npos)
            return {};
        const std::string_view name = trimmed(plain.substr(0, colon));
        if (name == "Power reading state is")
            return giveDcmi(log);
        if (name != "Instantaneous power reading")
            return {};
        RETURN_IF_ERROR(giveDcmi(log));
        const auto value = parseCell(trimmed(plain.substr(colon + 1)), CellForm::Number);
        m_watts = value ? value->number : kMissing;
        return {};
    }
    Status giveDcmi(MeterLog& log) {
        if (!m_watts)
            return {};
        const double watts = *std::exchange(m_watts, std::nullopt);
        return addPower(log, timeOf("dcmi", log), watts);
    }

    std::optional<Stamp> m_stamp;
    std::optional<double> m_watts;
    std::set<std::string, std::less<>> m_seen;
    std::int64_t m_reading = 0;
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
std::unique_ptr<MeterReader> makeIpmiReader() {
    return std::make_unique<IpmiReader>();
}
std::unique_ptr<MeterReader> makePerfReader() {
    return std::make_unique<PerfReader>();
}
std::unique_ptr<MeterReader> makeCodeCarbonReader() {
    return std::make_unique<CodeCarbonReader>();
}

} // namespace trainscope::importers::meters
