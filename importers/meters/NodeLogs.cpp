// Logs of node power that are no tables: MLPerf's `:::MLLOG` power readings, SPEC PTDaemon's
// spl.txt, `ipmitool sensor`, `sdr` and `dcmi power reading`, `perf stat -I` of RAPL events, and
// CodeCarbon's emissions.csv, which has one line a run.
//
// Clocks: MLPerf's time_ms is unix time; PTDaemon and CodeCarbon write local time without zone;
// ipmitool writes none where it says none (dcmi does); perf counts seconds since its start.
#include "importers/meters/MeterReader.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Cells.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/NamedTable.h"
#include "importers/common/Number.h"

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
class MllogReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        constexpr std::string_view kMark = ":::MLLOG";
        const std::size_t at = line.find(kMark);
        if (at == std::string_view::npos)
            return {};
        std::string object(line.substr(at + kMark.size()));
        object.append(JsonScanner::kPadding, '\0');
        std::vector<JsonLeaf> leaves;
        JsonCursor json(std::string_view(object).substr(0, object.size() - JsonScanner::kPadding));
        const bool isWhole = json.leaves(leaves);
        m_members.clear();
        for (JsonLeaf& leaf : leaves) {
            if (leaf.path.size() == 1)
                m_members[leaf.path[0]] = std::move(leaf.text);
            else if (leaf.path.size() == 2)
                m_members[leaf.path[0] + "/" + leaf.path[1]] = std::move(leaf.text);
        }
        const auto key = m_members.find("key");
        if (key == m_members.end() || !isWhole) {
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

// A line of CodeCarbon's table.
class CodeCarbonLine {
public:
    // False for the header and for empty lines.
    bool take(std::string_view line) {
        if (trimmed(line).empty())
            return false;
        m_cells = m_splitter.split(line, ',');
        const bool isRow = m_header.has_value();
        if (!isRow)
            m_header.emplace(m_cells);
        return isRow;
    }
    [[nodiscard]] std::string_view cell(std::string_view name) const {
        return NamedRow(*m_header, m_cells).text(name);
    }
    [[nodiscard]] std::optional<Stamp> end() const { return parseStamp(cell("timestamp")); }
    [[nodiscard]] std::optional<double> seconds() const {
        constexpr double kLongest = 1e9;
        const auto seconds = parseNumber(cell("duration"));
        return seconds && *seconds >= 0.0 && *seconds <= kLongest ? seconds : std::nullopt;
    }

private:
    CellSplitter m_splitter;
    std::optional<TableHeader> m_header;
    std::vector<std::string_view> m_cells;
};

// The runs of such a table. A line is a run; one that goes on from the same start with the same
// identifier tells the sums of its run anew.
class CodeCarbonRuns {
public:
    struct Place {
        std::string run; // its identifier, with a number where that comes again
        bool goesOn = false;
    };
    Place place(const CodeCarbonLine& line) {
        constexpr double kSameStart = 5.0; // seconds
        std::string id;
        for (const std::string_view name : {"run_id", "experiment_id", "project_name"}) {
            if (id.empty())
                id = line.cell(name);
        }
        const double seconds = line.seconds().value_or(0.0);
        const double start = line.end() ? (line.end()->time - TimeNs{}).seconds() - seconds : 0.0;
        const auto known = m_last.find(id);
        const bool goesOn = known != m_last.end() && seconds > known->second.seconds
            && std::abs(start - known->second.start) <= kSameStart;
        if (!goesOn) {
            const int times = ++m_times[id];
            m_last[id] = {start, seconds, times == 1 ? id : id + " " + std::to_string(times)};
        }
        m_last[id].seconds = seconds;
        return {m_last[id].run, goesOn};
    }

private:
    struct Run {
        double start = 0.0;
        double seconds = 0.0;
        std::string run;
    };
    std::map<std::string, Run> m_last;
    std::map<std::string, int> m_times;
};

// Means of a run, or of what was added to it since its line before, are held over their time.
class CodeCarbonReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        if (!m_line.take(line))
            return {};
        const auto end = m_line.end();
        const auto seconds = m_line.seconds();
        if (!end || !seconds) {
            log.skip("The line has no time or duration: " + meterExcerpt(line));
            return {};
        }
        const auto place = m_runs.place(m_line);
        if (!log.part().empty() && place.run != log.part())
            return {};
        log.row();
        if (!place.goesOn)
            m_before = {};
        const TimeNs last = log.at(*end);
        const double added = *seconds - m_before.seconds;
        const TimeNs first = last - DurationNs{nearestWhole<std::int64_t>(added * 1e9)};
        const TimeNs begin = place.goesOn ? first + DurationNs{1} : first;
        for (const auto& [name, metric] : kPowers) {
            if (const auto watts = parseNumber(m_line.cell(name)))
                RETURN_IF_ERROR(hold(metric, begin, last, *watts, log));
        }
        if (const auto energy = parseNumber(m_line.cell("energy_consumed"));
            energy && added > 0.0) {
            constexpr double kJoulesPerKwh = 3.6e6;
            const double joules = (*energy - m_before.energy) * kJoulesPerKwh;
            RETURN_IF_ERROR(hold("node_power", begin, last, joules / added, log));
            m_before.energy = *energy;
        }
        m_before.seconds = *seconds;
        for (const std::string_view name :
            {"emissions", "energy_consumed", "gpu_energy", "cpu_energy", "ram_energy", "pue"})
            if (const std::string_view text = m_line.cell(name); !text.empty())
                log.report().facts["codecarbon_" + std::string(name)] = text;
        return {};
    }

private:
    using Named = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Named, 3> kPowers{Named{"cpu_power", "cpu_power"},
        Named{"ram_power", "dram_power"}, Named{"gpu_power", "all_gpu_power"}};
    struct Sums {
        double seconds = 0.0;
        double energy = 0.0; // kWh
    };

    static Status hold(
        std::string_view metric, TimeNs first, TimeNs last, double watts, MeterLog& log) {
        for (const TimeNs time : {first, last})
            RETURN_IF_ERROR(
                log.add(wholeNode(), meterSeries(metric, "W", SensorKind::Averaged), time, watts));
        return {};
    }

    CodeCarbonLine m_line;
    CodeCarbonRuns m_runs;
    Sums m_before; // in the run at hand
};

} // namespace

const MakeMeterReader makeMllogReader = makeReader<MllogReader>;
const MakeMeterReader makePtdReader = makeReader<PtdReader>;
const MakeMeterReader makePerfReader = makeReader<PerfReader>;
std::vector<std::string> codeCarbonRuns(const SourceTree& tree, const std::string& path) {
    constexpr std::size_t kMostRuns = 200; // more are one
    std::vector<std::string> runs;
    auto stream = tree.open(path);
    if (!stream.hasValue())
        return runs;
    LineReader lines(std::move(stream).value());
    CodeCarbonLine parsed;
    CodeCarbonRuns places;
    while (runs.size() <= kMostRuns) {
        const auto line = lines.next();
        if (!line.hasValue() || !line.value())
            break;
        if (!parsed.take(*line.value()) || !parsed.end() || !parsed.seconds())
            continue;
        const auto place = places.place(parsed);
        if (!place.goesOn)
            runs.push_back(place.run);
    }
    return runs.size() == 1 || runs.size() > kMostRuns ? std::vector<std::string>{} : runs;
}

const MakeMeterReader makeCodeCarbonReader = makeReader<CodeCarbonReader>;

} // namespace trainscope::importers::meters
