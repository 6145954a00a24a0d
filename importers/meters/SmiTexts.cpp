// Texts and XML of monitors for people: the drawn table of `nvidia-smi`, `nvidia-smi -q` as text
// and XML (`-q -x`), once or in a loop, rocm-smi's lists (`GPU[0] : …`) and its concise table,
// tegrastats and gpustat.
//
// Clocks: nvidia-smi -q and gpustat write local time without zone; rocm-smi none, unless lines with
// a date stand between the outputs.
#include "importers/meters/MeterReader.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/Cells.h"
#include "importers/common/Number.h"
#include "importers/meters/GpuTables.h"

namespace trainscope::importers::meters {

namespace {

// A reading of nvidia-smi -q by its section and name, as text and as XML.
struct QueryName {
    std::string_view section;
    std::string_view name;
    std::string_view xml; // element below that of the GPU
    std::string_view metric;
    std::string_view unit;
    SensorKind sensor = SensorKind::Unknown;
};
constexpr auto kQueryNames = std::to_array<QueryName>({
    {"", "Fan Speed", "fan_speed", "fan_speed", "%"},
    {"FB Memory Usage", "Total", "fb_memory_usage/total", "mem_total", "MiB"},
    {"FB Memory Usage", "Reserved", "fb_memory_usage/reserved", "mem_reserved", "MiB"},
    {"FB Memory Usage", "Used", "fb_memory_usage/used", "mem_used", "MiB"},
    {"FB Memory Usage", "Free", "fb_memory_usage/free", "mem_free", "MiB"},
    {"Utilization", "GPU", "utilization/gpu_util", "gpu_utilization", "%"},
    {"Utilization", "Memory", "utilization/memory_util", "mem_utilization", "%"},
    {"Utilization", "Encoder", "utilization/encoder_util", "encoder_utilization", "%"},
    {"Utilization", "Decoder", "utilization/decoder_util", "decoder_utilization", "%"},
    {"Temperature", "GPU Current Temp", "temperature/gpu_temp", "gpu_temperature", "C"},
    {"Temperature", "Memory Current Temp", "temperature/memory_temp", "mem_temperature", "C"},
    {"GPU Power Readings", "Power Draw", "gpu_power_readings/power_draw", "gpu_power", "W"},
    {"Power Readings", "Power Draw", "power_readings/power_draw", "gpu_power", "W"},
    {"GPU Power Readings", "Average Power Draw", "gpu_power_readings/average_power_draw",
        "gpu_power", "W", SensorKind::Averaged},
    {"GPU Power Readings", "Instantaneous Power Draw", "gpu_power_readings/instant_power_draw",
        "gpu_power", "W", SensorKind::Instant},
    {"GPU Power Readings", "Current Power Limit", "gpu_power_readings/current_power_limit",
        "power_limit", "W"},
    {"Power Readings", "Enforced Power Limit", "power_readings/enforced_power_limit", "power_limit",
        "W"},
    {"Module Power Readings", "Power Draw", "module_power_readings/power_draw", "module_power",
        "W"},
    {"Clocks", "SM", "clocks/sm_clock", "sm_clock", "MHz"},
    {"Clocks", "Memory", "clocks/mem_clock", "mem_clock", "MHz"},
    {"Clocks", "Graphics", "clocks/graphics_clock", "graphics_clock", "MHz"},
    {"Clocks", "Video", "clocks/video_clock", "video_clock", "MHz"},
    {"PCI", "Tx Throughput", "pci/tx_util", "pcie_tx_rate", "KB/s"},
    {"PCI", "Rx Throughput", "pci/rx_util", "pcie_rx_rate", "KB/s"},
});

// One GPU after the other, as both spellings of the query give them.
class QueryOutput {
public:
    void startLog() {
        m_gpus = 0;
        m_times.next();
        m_times.setStamp({});
    }
    void setTime(std::string_view text) { m_times.setStamp(parseStamp(text)); }
    void startGpu() {
        m_who = {};
        m_who.id = std::to_string(m_gpus++);
        m_who.isById = true; // the place in the list, where UUIDs are made unreadable
    }
    Who& who() { return m_who; }
    Status add(const QueryName& name, std::string_view text, MeterLog& log) {
        if (m_gpus == 0)
            return {};
        const SeriesDescription what = meterSeries(name.metric, name.unit, name.sensor);
        const TimeNs time = m_times.time(log);
        log.row();
        return log.add(m_who, what, time, numberOf(text, what, log));
    }

private:
    ReadingTimes m_times;
    int m_gpus = 0;
    Who m_who;
};

class SmiQueryReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        const std::string_view plain = trimmed(line);
        if (plain.find("NVSMI LOG") != std::string_view::npos) {
            m_out.startLog();
            return {};
        }
        const std::size_t indent = line.find_first_not_of(' ');
        const std::size_t colon = plain.find(" : ");
        if (colon == std::string_view::npos) {
            if (indent == 0 && plain.starts_with("GPU ")) {
                m_out.startGpu();
                m_out.who().address = plain.substr(4);
            }
            if (!plain.empty() && indent != 0) {
                m_sections.resize(std::min(m_sections.size(), indent / 4));
                m_sections.resize(indent / 4);
                m_sections.emplace_back(plain);
            }
            return {};
        }
        const std::string_view name = trimmed(plain.substr(0, colon));
        const std::string_view text = trimmed(plain.substr(colon + 3));
        if (indent == 0) {
            if (name == "Timestamp")
                m_out.setTime(text);
            return {};
        }
        if (name == "Product Name")
            m_out.who().model = text;
        if (name == "GPU UUID")
            m_out.who().uuid = text;
        const std::size_t level = indent / 4;
        const std::string_view section = level >= 2 && level - 1 < m_sections.size()
            ? m_sections[level - 1]
            : std::string_view();
        for (const QueryName& known : kQueryNames) {
            if (known.section == section && equalsIgnoringCase(known.name, name))
                return m_out.add(known, text, log);
        }
        return {};
    }

private:
    QueryOutput m_out;
    std::vector<std::string> m_sections; // by depth
};

// Each element stands in a line of its own.
class SmiXmlReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        const std::string_view plain = trimmed(line);
        if (plain.size() < 3 || plain.front() != '<' || plain[1] == '?' || plain[1] == '!')
            return {};
        const std::size_t close = plain.find('>');
        if (close == std::string_view::npos)
            return {};
        if (plain[1] == '/') {
            if (!m_path.empty())
                m_path.pop_back();
            return {};
        }
        std::string_view name = plain.substr(1, close - 1);
        name = name.substr(0, name.find(' '));
        if (plain[close - 1] == '/')
            return {};
        const std::size_t end = plain.find("</", close);
        if (end == std::string_view::npos) {
            open(name);
            return {};
        }
        return element(name, trimmed(plain.substr(close + 1, end - close - 1)), log);
    }

private:
    void open(std::string_view name) {
        constexpr std::size_t kDeepest = 64;
        if (name == "nvidia_smi_log") {
            m_path.clear();
            m_out.startLog();
        }
        if (name == "gpu" && m_path.size() == 1)
            m_out.startGpu();
        if (m_path.size() < kDeepest)
            m_path.emplace_back(name);
    }
    Status element(std::string_view name, std::string_view text, MeterLog& log) {
        if (name == "timestamp" && m_path.size() == 1)
            m_out.setTime(text);
        if (m_path.size() < 2 || m_path[1] != "gpu")
            return {};
        if (name == "product_name")
            m_out.who().model = text;
        if (name == "uuid" && m_path.size() == 2)
            m_out.who().uuid = text;
        if (name == "pci_bus_id")
            m_out.who().address = text;
        std::string path;
        for (std::size_t i = 2; i < m_path.size(); ++i)
            path += m_path[i] + "/";
        path += name;
        for (const QueryName& known : kQueryNames) {
            if (known.xml == path)
                return m_out.add(known, text, log);
        }
        return {};
    }

    QueryOutput m_out;
    std::vector<std::string> m_path;
};

class RocmTextReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        const std::string_view plain = trimmed(line);
        if (plain.find("ROCm System Management") != std::string_view::npos) {
            m_times.next();
            return {};
        }
        if (plain.starts_with("GPU["))
            return takeListed(plain, log);
        if (plain.starts_with("Device "))
            m_heads = words(std::string(plain).substr(plain.find(']') + 1), " ").size() > 7;
        else if (m_heads && !plain.empty() && isDigit(plain.front()))
            return takeConcise(plain, log);
        else if (const auto stamp = parseDateLine(plain))
            m_times.setStamp(stamp);
        return {};
    }

private:
    // "N/A (Secondary die)": the device is there, and has no number.
    static bool startsAsMissing(std::string_view text) {
        const auto parts = words(text, " (");
        return parts.empty() || isMissingText(parts.front());
    }
    // "GPU[0]\t\t: Temperature (Sensor junction) (C): 35.0"
    Status takeListed(std::string_view plain, MeterLog& log) {
        const std::size_t close = plain.find(']');
        const std::size_t first = plain.find(':');
        const std::size_t last = plain.rfind(": ");
        if (close == std::string_view::npos || first == std::string_view::npos || last <= first)
            return {};
        Who who;
        who.id = plain.substr(4, close - 4);
        const std::string_view name = trimmed(plain.substr(first + 1, last - first - 1));
        const std::string_view text = trimmed(plain.substr(last + 1));
        const ColumnName* known = findColumn(rocmNames(), name);
        if (known == nullptr)
            known = findColumn(rocmNames(), headerParts(name).base);
        if (known == nullptr) // "sclk clock level: 1: (131Mhz)"
            known = findColumn(rocmNames(), name.substr(0, name.find(':')));
        std::string_view value = text;
        if (known != nullptr && known->role == ColumnRole::Name) {
            who.model = text;
            return log.know(who);
        }
        if (known == nullptr || known->role != ColumnRole::Metric)
            return {};
        if (startsAsMissing(value))
            value = {};
        if (value.starts_with('(') && value.ends_with(')'))
            value = value.substr(1, value.size() - 2);
        const std::string_view unit = headerParts(name).unit;
        return give(
            who, known->metric, findUnit(unit) ? unit : known->unit, known->sensor, value, log);
    }

    // "0  [0x74a1 : 0x00]  35.0°C  133.0W  NPS1, SPX  131Mhz  900Mhz  0%  auto  750.0W  0%  0%"
    Status takeConcise(std::string_view plain, MeterLog& log) {
        const auto parts = words(plain, " \t");
        constexpr std::size_t kBehind = 7; // SCLK MCLK Fan Perf PwrCap VRAM% GPU%
        if (parts.size() < kBehind + 3)
            return {};
        Who who;
        who.id = parts.front();
        bool hasTemperature = false;
        bool hasPower = false;
        for (std::size_t i = 1; i + kBehind < parts.size(); ++i) {
            const auto value = parseCell(parts[i], CellForm::Number);
            const auto unit = value ? findUnit(value->unit) : std::nullopt;
            if (unit && unit->si == "°C" && !std::exchange(hasTemperature, true))
                RETURN_IF_ERROR(
                    give(who, "hotspot_temperature", "C", SensorKind::Unknown, parts[i], log));
            else if (unit && unit->si == "W" && !std::exchange(hasPower, true))
                RETURN_IF_ERROR(give(who, "gpu_power", "W", SensorKind::Unknown, parts[i], log));
        }
        using Named = std::pair<std::string_view, std::string_view>;
        constexpr std::array<Named, kBehind> kMeanings{Named{"sm_clock", "MHz"},
            Named{"mem_clock", "MHz"}, Named{"fan_speed", "%"}, Named{"", ""},
            Named{"power_limit", "W"}, Named{"mem_allocated_fraction", "%"},
            Named{"gpu_utilization", "%"}};
        for (std::size_t k = 0; k < kBehind; ++k) {
            const auto& [metric, unit] = kMeanings[k];
            if (!metric.empty())
                RETURN_IF_ERROR(give(who, metric, unit, SensorKind::Unknown,
                    parts[parts.size() - kBehind + k], log));
        }
        return {};
    }

    Status give(const Who& who, std::string_view metric, std::string_view unit, SensorKind sensor,
        std::string_view text, MeterLog& log) {
        if (!isMissingCell(text) && !parseCell(text, CellForm::Number))
            return {};
        const SeriesDescription what = meterSeries(metric, unit, sensor);
        const TimeNs at = m_times.time(log);
        log.row();
        return log.add(who, what, at, numberOf(text, what, log));
    }

    ReadingTimes m_times;
    bool m_heads = false;
};

// "03-01-2026 10:00:00 RAM 12574/62841MB (lfb 2x4MB) CPU [2%@1036,off] EMC_FREQ 3%@665 GR3D_FREQ
// 40%@[305,0] cpu@51C gpu@48C VDD_GPU_SOC 2800mW/2800mW": month, day and year, one board. Rails are
// named by the board; the one that feeds the module is its power.
class TegrastatsReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        if (!isTegrastatsLine(line))
            return {};
        const auto parts = words(line, " ");
        m_time = timeOf(parts, log);
        log.row();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string_view next = i + 1 < parts.size() ? parts[i + 1] : std::string_view();
            RETURN_IF_ERROR(takeWord(parts[i], next, log));
        }
        return {};
    }

private:
    TimeNs timeOf(const std::vector<std::string_view>& parts, MeterLog& log) {
        const auto stamp = parts.size() < 2 ? std::nullopt
                                            : parseStamp(parts[0], parts[1], DateOrder::MonthFirst);
        return stamp ? log.at(*stamp) : log.at(m_reading++);
    }
    static Who board() {
        Who who;
        who.id = "0";
        return who;
    }
    Status add(
        const Who& who, const SeriesDescription& what, std::string_view number, MeterLog& log) {
        const auto value = parseCell(number, CellForm::Number);
        return value ? log.add(who, what, m_time, value->number) : Status();
    }
    Status takeWord(std::string_view word, std::string_view next, MeterLog& log) {
        if (word == "RAM")
            return takeMemory(next, log);
        if (word == "CPU" && next.starts_with('['))
            return takeCores(next, log);
        if (word == "GR3D_FREQ")
            return takeShare(next, "gpu_utilization", "sm_clock", log);
        if (word == "EMC_FREQ")
            return takeShare(next, "mem_utilization", "mem_clock", log);
        const std::size_t at = word.find('@');
        if (at != std::string_view::npos && word.ends_with('C') && at > 0)
            return takeTemperature(
                word.substr(0, at), word.substr(at + 1, word.size() - at - 2), log);
        const bool isRail = word.starts_with("VDD_") || word.starts_with("VIN_")
            || word.starts_with("POM_") || word.starts_with("VDDQ_");
        return isRail ? takeRail(word, next, log) : Status();
    }
    Status takeMemory(std::string_view text, MeterLog& log) {
        const std::size_t slash = text.find('/');
        if (slash == std::string_view::npos)
            return {};
        std::string_view total = text.substr(slash + 1);
        total = total.substr(0, total.find_first_not_of("0123456789"));
        RETURN_IF_ERROR(add(board(), meterSeries("mem_used", "MiB"), text.substr(0, slash), log));
        return add(board(), meterSeries("mem_total", "MiB"), total, log);
    }
    Status takeCores(std::string_view text, MeterLog& log) {
        double sum = 0.0;
        int cores = 0;
        for (const std::string_view core : words(text, "[],")) {
            const auto share = parseCell(core.substr(0, core.find('%')), CellForm::Number);
            if (!share)
                continue; // off
            sum += share->number;
            ++cores;
        }
        return cores == 0
            ? Status()
            : log.add(wholeNode(), meterSeries("cpu_utilization", "%"), m_time, sum / cores);
    }
    // "40%@[305,0]", "40%@305", "40%".
    Status takeShare(
        std::string_view text, std::string_view share, std::string_view clock, MeterLog& log) {
        const auto parts = words(text, "%@[],");
        if (parts.empty())
            return {};
        RETURN_IF_ERROR(add(board(), meterSeries(share, "%"), parts[0], log));
        return parts.size() < 2 ? Status() : add(board(), meterSeries(clock, "MHz"), parts[1], log);
    }
    Status takeTemperature(std::string_view name, std::string_view degrees, MeterLog& log) {
        if (equalsIgnoringCase(name, "gpu"))
            return add(board(), meterSeries("gpu_temperature", "C"), degrees, log);
        if (equalsIgnoringCase(name, "cpu"))
            return add(wholeNode(), meterSeries("cpu_temperature", "C"), degrees, log);
        return add(
            wholeNode(), ownMeterSeries(std::string(name) + "_temperature", "C"), degrees, log);
    }
    // "2800mW/2750mW": now and the mean; older ones leave the unit out.
    Status takeRail(std::string_view name, std::string_view text, MeterLog& log) {
        const std::string_view now = text.substr(0, text.find('/'));
        const std::string_view number = now.substr(0, now.find_first_not_of("0123456789."));
        const bool isModule = name == "VDD_IN" || name == "POM_5V_IN";
        const SeriesDescription what
            = isModule ? meterSeries("node_power", "mW") : ownMeterSeries(name, "mW");
        return add(wholeNode(), what, number, log);
    }

    TimeNs m_time;
    std::int64_t m_reading = 0;
};

// gpustat: "node1  Thu Jan  1 10:00:00 2026  535.104" above the lines of the GPUs,
// "[0] NVIDIA A100 | 50'C,  30 %,  99 %,  300 / 400 W | 39000 / 40960 MB | user(38000M)": the
// temperature, the fan's share where it is asked for, the utilisation, the power with its limit.
class GpustatTextReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        if (isGpustatLine(line))
            return takeGpu(line, log);
        takeHead(line);
        return {};
    }

private:
    void takeHead(std::string_view line) {
        const auto parts = words(line, " \t");
        constexpr std::size_t kOfDate = 5;
        for (std::size_t i = 0; i + kOfDate <= parts.size(); ++i) {
            const std::string_view last = parts[i + kOfDate - 1];
            const std::string_view date(parts[i].data(),
                static_cast<std::size_t>(last.data() + last.size() - parts[i].data()));
            const auto stamp = parseStamp(date);
            if (!stamp)
                continue;
            m_times.next();
            m_times.setStamp(stamp);
            m_host = i > 0 ? parts.front() : std::string_view();
            return;
        }
    }
    Status takeGpu(std::string_view line, MeterLog& log) {
        const auto parts = words(line, "|");
        const std::size_t close = line.find(']');
        m_who = {};
        m_who.host = m_host;
        m_who.id = line.substr(1, close - 1);
        m_who.model = trimmed(parts.front().substr(close + 1));
        m_time = m_times.time(log);
        log.row();
        std::vector<std::string_view> shares;
        for (const std::string_view word : words(parts[1], ",")) {
            const std::string_view value = trimmed(word);
            if (value.ends_with('%') && value.find(':') == std::string_view::npos)
                shares.push_back(value);
            else if (value.ends_with('W'))
                RETURN_IF_ERROR(addWithMost(value, "gpu_power", "power_limit", "W", log));
            else if (value.ends_with('C'))
                RETURN_IF_ERROR(
                    add("gpu_temperature", "C", value.substr(0, value.find_first_of("'°")), log));
        }
        if (shares.size() > 1)
            RETURN_IF_ERROR(add("fan_speed", "%", shares.front(), log));
        if (!shares.empty())
            RETURN_IF_ERROR(add("gpu_utilization", "%", shares.back(), log));
        return parts.size() < 3
            ? Status()
            : addWithMost(trimmed(parts[2]), "mem_used", "mem_total", "MiB", log);
    }
    // "300 / 400 W": both in the unit at the end.
    Status addWithMost(std::string_view text, std::string_view metric, std::string_view most,
        std::string_view unit, MeterLog& log) {
        const std::size_t slash = text.find('/');
        RETURN_IF_ERROR(add(metric, unit, trimmed(text.substr(0, slash)), log));
        return slash == std::string_view::npos
            ? Status()
            : add(most, unit, trimmed(text.substr(slash + 1)), log);
    }
    Status add(
        std::string_view metric, std::string_view unit, std::string_view text, MeterLog& log) {
        const auto value = parseCell(text, CellForm::Number);
        const SeriesDescription what = meterSeries(metric, unit);
        return log.add(m_who, what, m_time, value ? value->number : kMissing);
    }

    ReadingTimes m_times;
    std::string m_host;
    Who m_who;
    TimeNs m_time;
};

} // namespace

bool isGpustatLine(std::string_view line) {
    const std::size_t close = line.find("] ");
    if (!line.starts_with('[') || close == std::string_view::npos || close < 2)
        return false;
    const std::string_view index = line.substr(1, close - 1);
    const auto parts = words(line, "|");
    return std::all_of(index.begin(), index.end(), isDigit) && parts.size() >= 3
        && parts[1].find('%') != std::string_view::npos
        && (parts[1].find("'C") != std::string_view::npos
            || parts[1].find("°C") != std::string_view::npos)
        && parts[2].find(" / ") != std::string_view::npos;
}

const MakeMeterReader makeGpustatTextReader = makeReader<GpustatTextReader>;
bool isTegrastatsLine(std::string_view line) {
    return line.find("RAM ") != std::string_view::npos
        && line.find("MB (lfb ") != std::string_view::npos
        && (line.find("GR3D") != std::string_view::npos
            || line.find(" CPU [") != std::string_view::npos);
}

const MakeMeterReader makeTegrastatsReader = makeReader<TegrastatsReader>;
const MakeMeterReader makeSmiQueryReader = makeReader<SmiQueryReader>;
const MakeMeterReader makeSmiXmlReader = makeReader<SmiXmlReader>;
const MakeMeterReader makeRocmTextReader = makeReader<RocmTextReader>;

} // namespace trainscope::importers::meters
