// JSON of monitors, one record after the other: `amd-smi metric --json`, `rocm-smi --json`,
// `gpustat --json`, Weights & Biases' system metrics as JSON lines, and answers of Redfish services
// (Power, EnvironmentMetrics, Thermal). A record is an object that lies in no other object; it is
// held whole, as names and texts.
//
// Clocks: what the record says (timestamp, query_time, _timestamp …); else the records follow one
// another.
#include "importers/meters/MeterReader.h"

#include "core/model/Try.h"
#include "importers/common/Cells.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/MetricWords.h"
#include "importers/common/Number.h"
#include "importers/meters/GpuTables.h"

namespace trainscope::importers::meters {

namespace {

using Member = JsonLeaf;
using Record = std::vector<Member>;

std::string_view memberOf(const Record& record, std::string_view name) {
    for (const Member& member : record) {
        if (member.path.size() == 1 && member.path[0] == name)
            return member.text;
    }
    return {};
}

// True for properties of a card rather than readings of its state.
bool isProperty(std::string_view name) {
    constexpr std::array<std::string_view, 18> kWords{"serial", "version", "firmware", "vbios",
        "guid", "id", "sku", "vendor", "revision", "level", "levels", "table", "frequencies", "bus",
        "bdf", "partition", "min", "max"};
    const auto parts = words(name, " ._-/:()[]");
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
        return std::any_of(kWords.begin(), kWords.end(),
            [part](std::string_view word) { return equalsIgnoringCase(part, word); });
    });
}

bool isNumberText(std::string_view text) {
    return isMissingCell(text) || parseCell(text, CellForm::Number);
}

class RecordReader : public MeterReader {
public:
    Status take(std::string_view object, MeterLog& log) final {
        Record members;
        JsonCursor(object).leaves(members);
        return members.empty() ? Status() : record(members, log);
    }

protected:
    virtual Status record(const Record& record, MeterLog& log) = 0;

    // Time in the first of these members; else the records follow one another, at the period.
    TimeNs timeOf(const Record& record, std::initializer_list<std::string_view> names,
        MeterLog& log, const std::string& whose = {}) {
        for (const std::string_view name : names) {
            if (const auto stamp = parseStamp(memberOf(record, name)))
                return log.at(*stamp);
        }
        return m_times.timeOf(whose, log);
    }

private:
    ReadingTimes m_times;
};

// [{"gpu": 0, "power": {"socket_power": {"value": 133, "unit": "W"}}, …}], or {"gpu_data": […]}.
class AmdJsonReader final : public RecordReader {
    Status record(const Record& record, MeterLog& log) override {
        const std::string gpu(memberOf(record, "gpu"));
        if (gpu.empty()) {
            log.skip("A record without its GPU.");
            return {};
        }
        Who who;
        who.id = gpu;
        RETURN_IF_ERROR(log.know(who)); // its readings may all be texts
        const TimeNs time = timeOf(record, {"timestamp"}, log, gpu);
        log.row();
        for (std::size_t i = 0; i < record.size(); ++i) {
            const auto& path = record[i].path;
            const bool hasUnit = path.back() == "value";
            const std::size_t depth = path.size() - (hasUnit ? 1 : 0);
            if (depth < 2 || path.back() == "unit" || !isNumberText(record[i].text))
                continue;
            // "clock/gfx_0/clk" is gfx_0_clk, "temperature/edge" is edge.
            std::string name = path[1];
            for (std::size_t k = 2; k < depth; ++k)
                name += "_" + path[k];
            const bool isUnit
                = hasUnit && i + 1 < record.size() && record[i + 1].path.back() == "unit";
            const std::string_view unit
                = isUnit ? std::string_view(record[i + 1].text) : std::string_view();
            const ColumnName* known = findColumn(amdNames(), name);
            if (known != nullptr && known->role != ColumnRole::Metric)
                continue;
            if (known == nullptr && (isProperty(name) || isProperty(path[0])))
                continue;
            if (known == nullptr)
                log.sawOwn(path[0] + "/" + name);
            const SeriesDescription what = known != nullptr
                ? meterSeries(known->metric, known->unit, known->sensor)
                : ownMeterSeries(path[0] + "_" + name, unit);
            RETURN_IF_ERROR(log.add(who, what, time, numberOf(record[i].text, what, log, unit)));
        }
        return {};
    }
};

// {"card0": {"Temperature (Sensor edge) (C)": "35.0", …}, "system": {…}}
class RocmJsonReader final : public RecordReader {
    Status record(const Record& record, MeterLog& log) override {
        const TimeNs time = timeOf(record, {"timestamp", "time"}, log, "all");
        std::map<std::string, Who, std::less<>> cards;
        for (const Member& member : record) {
            if (isOfCard(member))
                name(cards[member.path[0]], member);
        }
        for (const auto& [card, who] : cards)
            RETURN_IF_ERROR(log.know(who));
        for (const Member& member : record) {
            if (!isOfCard(member))
                continue;
            const Column column = columnNamed(rocmNames(), member.path[1]);
            const Who& who = cards[member.path[0]];
            const bool isReading = column.role == ColumnRole::Metric
                && (column.certain || (isNumberText(member.text) && !isProperty(column.header)));
            if (!isReading)
                continue;
            if (!column.certain)
                log.sawOwn(column.header);
            RETURN_IF_ERROR(log.add(who, column, time, numberOf(member.text, column, log)));
        }
        log.row();
        return {};
    }

    static bool isOfCard(const Member& member) {
        return member.path.size() == 2 && member.path[0].starts_with("card");
    }
    static void name(Who& who, const Member& member) {
        who.id = member.path[0];
        const ColumnName* known = findColumn(rocmNames(), member.path[1]);
        if (known == nullptr || isMissingText(member.text))
            return;
        if (known->role == ColumnRole::Name && who.model.empty())
            who.model = member.text;
        else if (known->role == ColumnRole::Uuid)
            who.uuid = member.text;
    }
};

// {"hostname": "a", "query_time": "2025-…", "gpus": [{"index": 0, "uuid": …, "power.draw": 70}]}
class GpustatReader final : public RecordReader {
    Status record(const Record& record, MeterLog& log) override {
        const std::string host(memberOf(record, "hostname"));
        const TimeNs time = timeOf(record, {"query_time"}, log, host);
        log.row();
        Who who;
        std::string element = "none";
        for (const Member& member : record) {
            if (member.path.size() != 3 || member.path[0] != "gpus")
                continue;
            if (member.path[1] != element)
                who = {SubjectKind::Gpu, host, member.path[1]};
            element = member.path[1];
            const std::string& name = member.path[2];
            if (name == "index")
                who.id = member.text;
            else if (name == "uuid")
                who.uuid = member.text;
            else if (name == "name")
                who.model = member.text;
            else if (const auto known = metricNamed(name)) {
                const SeriesDescription what = meterSeries(known->metric, known->unit);
                RETURN_IF_ERROR(log.add(who, what, time, numberOf(member.text, what, log)));
            }
        }
        return {};
    }
};

// {"system.gpu.0.powerWatts": 71.2, "_timestamp": 1718783836.9, "_runtime": 12.1}
class WandbJsonReader final : public RecordReader {
    Status record(const Record& record, MeterLog& log) override {
        const TimeNs time = timeOf(record, {"_timestamp", "_runtime"}, log);
        log.row();
        for (const Member& member : record) {
            const Column column = wandbColumn(member.path.front());
            if (member.path.size() != 1 || column.role != ColumnRole::Metric
                || !isNumberText(member.text))
                continue;
            if (!column.certain)
                log.sawOwn(column.header);
            RETURN_IF_ERROR(log.add(meterSubject(column.whose, SubjectKind::Gpu), column, time,
                numberOf(member.text, column, log)));
        }
        return {};
    }
};

// Reads a chassis or system: its power, its parts' temperatures and supplies.
class RedfishReader final : public RecordReader {
    Status record(const Record& record, MeterLog& log) override {
        const TimeNs time
            = timeOf(record, {"timestamp", "Timestamp", "time", "@timestamp", "DateTime"}, log);
        const std::string host(memberOf(record, "host"));
        log.row();
        std::string part;
        for (const Member& member : record) {
            const std::string& last = member.path.back();
            if (last == "Name" || last == "MemberId" || last == "DeviceName")
                part = member.text;
            Who who;
            who.kind = SubjectKind::Node;
            who.host = host;
            const SeriesDescription what = meaning(member, part, who);
            if (!what.metric.name.empty() && isNumberText(member.text))
                RETURN_IF_ERROR(log.add(who, what, time, numberOf(member.text, what, log)));
        }
        return {};
    }

    static SeriesDescription meaning(const Member& member, const std::string& part, Who& who) {
        const std::string& last = member.path.back();
        const auto has = [&](std::string_view name) {
            return std::find(member.path.begin(), member.path.end(), name) != member.path.end();
        };
        const auto ofPart = [&] {
            who.kind = SubjectKind::Link;
            who.device = part.empty() ? member.path.front() : part;
        };
        if (last == "PowerConsumedWatts" && has("PowerControl") && isFirst(member))
            return meterSeries("node_power", "W");
        if (last == "AverageConsumedWatts" && has("PowerMetrics") && isFirst(member))
            return meterSeries("node_power_average", "W", SensorKind::Averaged);
        if (last == "Reading" && has("PowerWatts"))
            return meterSeries("node_power", "W");
        if (last == "Reading" && has("EnergykWh"))
            return meterSeries("node_energy", "kWh");
        if (last == "Reading" && (has("TemperatureCelsius") || has("AmbientTemperatureCelsius")))
            return meterSeries("inlet_temperature", "C");
        if (last == "PowerInputWatts" && has("PowerSupplies")) {
            ofPart();
            return meterSeries("supply_power", "W");
        }
        if (last == "ReadingCelsius") {
            const bool isInlet = containsIgnoringCase(part, "inlet");
            if (isInlet)
                return meterSeries("inlet_temperature", "C");
            ofPart();
            return meterSeries("sensor_temperature", "C");
        }
        return {};
    }

    // The first control is that of the whole chassis.
    static bool isFirst(const Member& member) {
        return member.path.size() < 2 || member.path[1] == "0"
            || (member.path.size() > 2 && member.path[2] == "0");
    }
};

// {"time": "2026-…", "cpu_usage": 20, "gpu_usage:0": 50}, {"ts": 17…, "gpu": 0, "power_w": 100}:
// what people's own monitors write, by the words of its keys.
class MonitorJsonReader final : public RecordReader {
    Status record(const Record& record, MeterLog& log) override {
        Who own;
        for (const Member& member : record)
            name(own, member);
        const auto stamp = stampOf(record);
        m_hasStamps = m_hasStamps || stamp || hasStampKey(record);
        if (m_hasStamps && !stamp) {
            log.skip("The record has no time stamp.");
            return {};
        }
        const TimeNs time
            = stamp ? log.at(*stamp) : timeOf(record, {}, log, own.host + "\n" + own.id);
        log.row();
        for (const Member& member : record) {
            std::string key;
            for (const std::string& step : member.path)
                key += (key.empty() ? "" : "_") + step;
            const auto known = metricOfKey(key);
            if (!known || !isNumberText(member.text))
                continue;
            const SeriesDescription what = seriesOf(*known, member.text);
            RETURN_IF_ERROR(
                log.add(whoOf(own, *known), what, time, numberOf(member.text, what, log)));
        }
        return {};
    }

    static bool hasStampKey(const Record& record) {
        return std::any_of(record.begin(), record.end(), [](const Member& member) {
            return member.path.size() == 1 && stampOfKey(member.path.front()).has_value();
        });
    }
    // The date, else the time since the start.
    static std::optional<Stamp> stampOf(const Record& record) {
        std::optional<Stamp> found;
        for (const Member& member : record) {
            const auto unit
                = member.path.size() == 1 ? stampOfKey(member.path.front()) : std::nullopt;
            if (!unit)
                continue;
            const auto stamp
                = *unit > 0 ? parseStampIn(member.text, *unit) : parseStamp(member.text);
            const bool isBetter = stamp
                && (!found
                    || (found->kind == StampKind::Relative && stamp->kind != StampKind::Relative));
            if (isBetter)
                found = stamp;
        }
        return found;
    }

    static void name(Who& who, const Member& member) {
        std::string key = lowered(member.path.front());
        std::replace(key.begin(), key.end(), '_', '.');
        const ColumnRole part = member.path.size() == 1 ? roleNamed(key) : ColumnRole::None;
        if (part == ColumnRole::Gpu && gpuIndexOf(member.text))
            who.id = member.text;
        else if (part == ColumnRole::Host)
            who.host = member.text;
        else if (part == ColumnRole::Name && key.starts_with("gpu"))
            who.model = member.text;
        else if (part == ColumnRole::BusId)
            who.address = member.text;
    }
    static Who whoOf(const Who& own, const KeyedMetric& known) {
        Who who = own;
        if (known.metric.isOfNode)
            who = {SubjectKind::Node, own.host};
        else if (known.gpu)
            who.id = std::to_string(*known.gpu);
        else if (who.id.empty())
            who.id = "0";
        return who;
    }
    // Memory without a unit that no board has in MiB is in bytes.
    static SeriesDescription seriesOf(const KeyedMetric& known, std::string_view text) {
        constexpr double kNoMebibytes = 16'777'216.0;
        const auto value = parseCell(text, CellForm::Number);
        const bool areBytes = known.unit.empty() && known.metric.unit == "MiB" && value
            && value->unit.empty() && value->number >= kNoMebibytes;
        const std::string_view unit = areBytes ? std::string_view("B")
            : findUnit(known.unit)             ? std::string_view(known.unit)
                                               : known.metric.unit;
        return meterSeries(known.metric.metric, unit, known.metric.sensor);
    }

    bool m_hasStamps = false; // a record without one is damaged
};

} // namespace

bool isMonitorJson(std::string_view head) {
    constexpr std::size_t kLooked = std::size_t{8} << 10;
    constexpr std::array<std::string_view, 5> kOfTraining{
        "loss", "train_loss", "step", "iteration", "lm_loss"};
    head = head.substr(0, kLooked);
    bool hasStamp = false;
    bool hasReading = false;
    while (true) {
        const std::size_t open = head.find('"');
        const std::size_t close = open == std::string_view::npos ? open : head.find('"', open + 1);
        if (close == std::string_view::npos)
            break;
        const std::string_view key = head.substr(open + 1, close - open - 1);
        head.remove_prefix(close + 1);
        if (!trimmed(head.substr(0, 4)).starts_with(':'))
            continue;
        if (std::ranges::find(kOfTraining, lowered(key)) != kOfTraining.end())
            return false;
        hasStamp = hasStamp || stampOfKey(key).has_value();
        const auto known = metricOfKey(key);
        hasReading = hasReading
            || (known
                && (known->gpu || known->metric.unit == "W" || containsIgnoringCase(key, "gpu")));
    }
    return hasStamp && hasReading;
}

const MakeMeterReader makeMonitorJsonReader = makeReader<MonitorJsonReader>;
const MakeMeterReader makeAmdJsonReader = makeReader<AmdJsonReader>;
const MakeMeterReader makeRocmJsonReader = makeReader<RocmJsonReader>;
const MakeMeterReader makeGpustatReader = makeReader<GpustatReader>;
const MakeMeterReader makeWandbJsonReader = makeReader<WandbJsonReader>;
const MakeMeterReader makeRedfishReader = makeReader<RedfishReader>;

} // namespace trainscope::importers::meters
