#include "importers/nvsmi/Column.h"

#include "core/model/AsciiText.h"
#include "core/model/Metric.h"
#include "importers/common/Cells.h"
#include "importers/common/MetricWords.h"
#include "importers/common/SaidColumns.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

namespace trainscope::importers::nvsmi {

namespace {

using Role = Column::Role;

struct RoleNames {
    Role role;
    std::string_view names; // separated by blanks
};
constexpr std::array kRoles{
    RoleNames{Role::Stamp,
        "timestamp time datetime date.time date ts t time.stamp epoch unix unix.time utc "
        "wall.time"},
    RoleNames{Role::Elapsed, "relative.time elapsed elapsed.time time.elapsed relative uptime"},
    RoleNames{Role::Gpu,
        "gpu gpu.index gpu.id index idx device device.index device.id id gpu.idx gpu.num "
        "gpu.number "
        "gpuid gpuindex local.rank rank minor.number"},
    RoleNames{Role::Uuid, "uuid gpu.uuid"},
    RoleNames{Role::BusId, "pci.bus.id gpu.bus.id bus.id busid pci.bus pci"},
    RoleNames{Role::Serial, "serial gpu.serial serial.number"},
    RoleNames{Role::Host, "host hostname node node.name server machine"},
    RoleNames{Role::Name, "name gpu.name product.name model gpu.model device.name"},
    RoleNames{Role::Ignored,
        "count driver.version vbios.version driver display.mode display.active persistence.mode "
        "compute.mode "
        "mig.mode.current mig.mode.pending pci.domain pci.device pci.device.id pci.sub.device.id "
        "compute.cap accounting.mode inforom.img inforom.oem inforom.ecc inforom.pwr "
        "gpu.operation.mode.current "
        "process.name sample iteration step line row no"},
    RoleNames{Role::Process, "pid process.id"},
};

struct MetricNames {
    std::string_view metric;
    std::string_view unit;
    std::string_view names;
    CellForm form = CellForm::Number;
    SensorKind sensor = SensorKind::Unknown;
};
constexpr std::array kMetrics{
    MetricNames{metric::kGpuPower, "W",
        "power.draw power gpu.power gpu.power.draw power.usage pwr draw.power board.power draw "
        "power.consumption gpu.power.usage"},
    MetricNames{metric::kGpuPower, "W",
        "power.draw.instant power.instant gpu.power.instant instant.power", CellForm::Number,
        SensorKind::Instant},
    MetricNames{metric::kGpuPower, "W",
        "power.draw.average power.average gpu.power.average average.power avg.power",
        CellForm::Number, SensorKind::Averaged},
    MetricNames{metric::kPowerLimit, "W",
        "power.limit gpu.power.limit power.cap enforced.power.limit power.limit.enforced"},
    MetricNames{metric::kGpuTemperature, "C",
        "temperature.gpu temperature temp gpu.temp gpu.temperature temp.gpu gtemp gpu.thermal "
        "core.temp"},
    MetricNames{metric::kMemTemperature, "C",
        "temperature.memory temperature.mem mem.temp memory.temp memory.temperature "
        "mem.temperature mtemp hbm.temp"},
    MetricNames{metric::kSmClock, "MHz",
        "clocks.sm clocks.current.sm sm.clock clock.sm sm sm.clk sm.freq gpu.clock pclk"},
    MetricNames{"graphics_clock", "MHz",
        "clocks.gr clocks.current.graphics clocks.graphics graphics.clock clock.graphics gr.clock "
        "clock clocks"},
    MetricNames{metric::kMemClock, "MHz",
        "clocks.mem clocks.current.memory clocks.memory mem.clock memory.clock clock.mem "
        "clock.memory mclk"},
    MetricNames{"video_clock", "MHz", "clocks.video clocks.current.video video.clock"},
    MetricNames{metric::kGpuUtilization, "%",
        "utilization.gpu gpu.utilization gpu.util util.gpu utilization util gpu.usage gpu.load "
        "sm.util usage gpuutil"},
    MetricNames{metric::kMemUtilization, "%",
        "utilization.memory memory.utilization mem.util memory.util util.memory util.mem "
        "utilization.mem mem.utilization memutil"},
    MetricNames{metric::kMemUsed, "MiB",
        "memory.used mem.used memory.usage used.memory vram.used memory.allocated used.gpu.memory "
        "fb.used gpu.memory.used "
        "memory mem vram gpu.memory"},
    MetricNames{metric::kMemTotal, "MiB",
        "memory.total mem.total total.memory vram.total fb.total gpu.memory.total"},
    MetricNames{"mem_free", "MiB", "memory.free mem.free free.memory fb.free gpu.memory.free"},
    MetricNames{"mem_reserved", "MiB", "memory.reserved"},
    MetricNames{metric::kFanSpeed, "%", "fan.speed fan"},
    MetricNames{"pstate", "", "pstate performance.state perf", CellForm::PerformanceState},
    MetricNames{metric::kThrottleReasons, "",
        "clocks.throttle.reasons.active clocks.event.reasons.active throttle.reasons event.reasons "
        "throttle.reasons.active clocks.throttle.reasons reasons throttle.reason clock.reasons",
        CellForm::Hex},
    MetricNames{"pcie_link_gen", "", "pcie.link.gen.current pcie.link.gen.gpucurrent pcie.gen"},
    MetricNames{"pcie_link_width", "", "pcie.link.width.current pcie.width"},
    MetricNames{metric::kPcieTxRate, "MB/s",
        "tx.pci tx.pcie pcie.tx pci.tx txpci pcie.tx.throughput pcie.throughput.tx"},
    MetricNames{metric::kPcieRxRate, "MB/s",
        "rx.pci rx.pcie pcie.rx pci.rx rxpci pcie.rx.throughput pcie.throughput.rx"},
    // A counter only where its numbers rise; see settleForms.
    MetricNames{metric::kGpuEnergy, "J",
        "energy gpu.energy total.energy energy.total energy.consumption total.energy.consumption "
        "gpu.energy.consumption energy.consumed gpu.energy.consumed energy.counter "
        "cumulative.energy"},
    MetricNames{metric::kPcieTx, "GB", "cumulative.tx"},
    MetricNames{metric::kPcieRx, "GB", "cumulative.rx"},
};

// Meaning of a name: one of both.
struct Meaning {
    const RoleNames* role = nullptr;
    const MetricNames* metric = nullptr;
};

Meaning meaningOf(std::string_view name) {
    static const auto meanings = [] {
        std::unordered_map<std::string_view, Meaning> all;
        for (const RoleNames& role : kRoles) {
            for (const std::string_view each : words(role.names, " "))
                all.try_emplace(each, Meaning{&role, nullptr});
        }
        for (const MetricNames& metric : kMetrics) {
            for (const std::string_view each : words(metric.names, " "))
                all.try_emplace(each, Meaning{nullptr, &metric});
        }
        return all;
    }();
    const auto found = meanings.find(name);
    return found == meanings.end() ? Meaning{} : found->second;
}

struct HeaderName {
    std::string base; // lower case, words joined by '.'
    std::string_view unitText; // in brackets or parentheses
    std::string suffix; // unit written as last words
};

std::string joined(const std::vector<std::string_view>& parts, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += i == 0 ? "" : ".";
        text += lowered(parts[i]);
    }
    return text;
}

bool isLower(char c) {
    return c >= 'a' && c <= 'z';
}

bool isLetter(char c) {
    return isLower(lowerChar(c));
}

bool isTemperature(std::string_view name) {
    const MetricNames* metric = meaningOf(name).metric;
    return metric != nullptr && metric->unit == "C";
}

bool isUnitSuffix(const std::vector<std::string_view>& parts) {
    return findUnit(parts.back())
        || (isFahrenheit(parts.back()) && isTemperature(joined(parts, parts.size() - 1)));
}

// "tx_pci_mb_per_sec" → "tx.pci" and "mb/s"; "power_W" → "power" and "W".
HeaderName parseHeaderName(std::string_view header) {
    HeaderName name;
    const bool hasCase = std::any_of(header.begin(), header.end(), isLower);
    const std::size_t open = header.find_first_of("[(");
    if (open != std::string_view::npos) {
        const std::size_t close = header.find_first_of("])", open);
        name.unitText = trimmed(
            header.substr(open + 1, close == std::string_view::npos ? close : close - open - 1));
        header = header.substr(0, open);
    }
    const auto parts = words(header, " ._-/:");
    std::size_t count = parts.size();
    if (name.unitText.empty() && count >= 4 && equalsIgnoringCase(parts[count - 2], "per")
        && (equalsIgnoringCase(parts[count - 1], "sec")
            || equalsIgnoringCase(parts[count - 1], "s"))) {
        name.suffix = std::string(parts[count - 3]) + "/s";
        count -= 3;
    } else if (name.unitText.empty() && count >= 2 && isUnitSuffix(parts)) {
        // "POWER_MW" is in milliwatts.
        name.suffix = hasCase ? std::string(parts[count - 1]) : lowered(parts[count - 1]);
        count -= 1;
    }
    name.base = joined(parts, count);
    return name;
}

// "(average)" says no unit; "[F]", "(0-100)" and "(GPU 3)" are nothing that numbers may be taken
// by.
bool isRemark(std::string_view header, std::string_view text) {
    return header.find('[') == std::string_view::npos && text.size() >= 3
        && std::all_of(text.begin(), text.end(), isLetter);
}

// "deg C", "ºC".
bool saysCelsius(std::string_view text) {
    return text.ends_with('C') || text.ends_with('c') || text == "℃";
}

Metric metricNamed(std::string_view name) {
    if (const Metric* known = findMetric(name))
        return *known;
    std::string label(name);
    std::replace(label.begin(), label.end(), '_', ' ');
    return {std::string(name), "1", MetricKind::Gauge, std::move(label)};
}

std::optional<Column> metricColumn(std::string_view base) {
    const MetricNames* names = meaningOf(base).metric;
    if (names == nullptr)
        return std::nullopt;
    Column column = columnOf(names->metric, names->unit);
    column.form = names->form;
    column.sensor = names->sensor;
    return column;
}

// "gpu3" → 3, and what follows: "gpu3.power" → "power".
std::optional<int> takeGpuNumber(std::string& base) {
    std::string_view rest = base;
    if (!rest.starts_with("gpu"))
        return std::nullopt;
    rest.remove_prefix(3);
    if (rest.starts_with('.'))
        rest.remove_prefix(1);
    int number = 0;
    std::size_t digits = 0;
    while (digits < rest.size() && digits < 4 && isDigit(rest[digits]))
        number = number * 10 + (rest[digits++] - '0');
    if (digits == 0 || (digits < rest.size() && rest[digits] != '.'))
        return std::nullopt;
    base = digits < rest.size() ? std::string(rest.substr(digits + 1)) : std::string();
    return number;
}

std::optional<Column> composedColumn(std::string_view base, std::string_view unit) {
    const auto known = metricOfWords(base, unit);
    if (!known)
        return std::nullopt;
    Column column = columnOf(known->metric, known->unit);
    column.sensor = known->sensor;
    column.ofNode = known->isOfNode;
    return column;
}

Column unknownColumn(const HeaderName& name) {
    Column column;
    const std::string own = ownMetricName(name.base);
    column.role = own.empty() ? Role::Ignored : Role::Metric;
    column.metric = metricNamed(own);
    return column;
}

} // namespace

std::string ownMetricName(std::string_view header) {
    const std::string lower = lowered(header.substr(0, header.find_first_of("[(")));
    std::string name;
    for (const std::string_view part : words(lower, " ._-/:"))
        name += (name.empty() ? "" : "_") + std::string(part);
    return name;
}

Column columnOf(std::string_view metric, std::string_view unit) {
    Column column;
    column.role = Role::Metric;
    column.metric = metricNamed(metric);
    column.certain = true;
    column.counterBits = column.metric.kind == MetricKind::Counter ? 64 : 0;
    if (const auto known = findUnit(unit)) {
        column.scale = known->scale;
        column.metric.unit = known->si;
    }
    // The monitors that write cumulative gigabytes divide their MB/s by 1024: 106 MB/s over 1.672 s
    // is 0.1731.
    if (column.counterBits != 0 && equalsIgnoringCase(unit, "GB"))
        column.scale = 1024e6;
    return column;
}

void adoptUnit(Column& column, std::string_view text) {
    if (isFahrenheit(text) && (column.metric.unit == "°C" || !column.certain)) {
        column.metric.unit = "°C";
        column.inFahrenheit = true;
        column.unitKnown = true;
        return;
    }
    const auto unit = findUnit(text);
    if (!unit)
        return;
    if (column.certain && column.metric.unit != unit->si) {
        // "memory_percent" is not memory in bytes: the unit decides what was measured.
        const bool share = column.metric.name == "mem_used" && unit->si == "1";
        column.metric = metricNamed(share ? "mem_utilization" : ownMetricName(column.header));
        column.counterBits = 0;
    }
    column.scale = unit->scale;
    column.metric.unit = unit->si;
    column.unitKnown = true;
}

bool namesMetric(std::string_view header) {
    constexpr std::size_t kLongest = 100;
    if (header.empty() || header.size() > kLongest)
        return false;
    if (trimmed(header) == "gpu" || trimmed(header) == "GPU")
        return true;
    const Column column = columnNamed(header);
    return column.certain && (column.role == Role::Metric || column.gpu >= 0);
}

// "epoch_time", "timestamp_ms", "Local Time", "unix time (s)": words of time, and nothing else.
bool namesStamp(std::string_view base) {
    constexpr std::string_view kTimes = "time timestamp datetime epoch";
    constexpr std::string_view kBeside
        = "unix utc local wall clock iso iso8601 date sample log ms s "
          "sec seconds us ns milliseconds";
    bool isTime = false;
    for (const std::string_view word : words(base, ".")) {
        const auto isIn = [word](std::string_view list) {
            const auto all = words(list, " ");
            return std::find(all.begin(), all.end(), word) != all.end();
        };
        if (isIn(kTimes))
            isTime = true;
        else if (!isIn(kBeside))
            return false;
    }
    return isTime;
}

// As the user says it.
std::optional<Column> columnSaid(std::string_view header) {
    const auto said = saidColumn(header);
    if (!said)
        return std::nullopt;
    using Named = std::pair<std::string_view, Role>;
    constexpr std::array kSaidRoles{Named{"time", Role::Stamp}, Named{"gpu", Role::Gpu},
        Named{"host", Role::Host}, Named{"name", Role::Name}, Named{"uuid", Role::Uuid},
        Named{"ignore", Role::Ignored}};
    Column column;
    for (const auto& [name, role] : kSaidRoles) {
        if (said->meaning == name)
            column.role = role;
    }
    const bool isRole = std::any_of(kSaidRoles.begin(), kSaidRoles.end(),
        [&said](const Named& named) { return named.first == said->meaning; });
    if (!isRole) {
        const auto usual = std::find_if(kMetrics.begin(), kMetrics.end(),
            [&said](const MetricNames& names) { return names.metric == said->meaning; });
        column
            = columnOf(said->meaning, usual == kMetrics.end() ? std::string_view() : usual->unit);
        column.form = usual == kMetrics.end() ? CellForm::Number : usual->form;
        column.ofNode = said->meaning == metric::kNodePower || said->meaning == metric::kCpuPower
            || said->meaning == metric::kDramPower;
    }
    column.header = header;
    column.certain = true;
    column.isSaid = true;
    if (!said->unit.empty() && column.role == Role::Metric)
        adoptUnit(column, said->unit);
    return column;
}

namespace {

Column roleColumn(Role role) {
    Column column;
    column.role = role;
    column.certain = true;
    return column;
}

// "gpu3_power_w", "GPU3": of one GPU, whatever its words say.
Column columnOfGpu(const HeaderName& name, int gpu, std::string_view unitText) {
    const bool isBare = name.base.empty() && unitText.empty();
    auto column = isBare ? metricColumn("power") : metricColumn(name.base);
    if (!column)
        column = composedColumn(name.base, unitText);
    Column owned = column ? std::move(*column) : unknownColumn(name);
    owned.ofNode = false;
    owned.gpu = gpu;
    owned.certain = true;
    return owned;
}

// With its header, and the unit that stands there.
Column finished(Column column, std::string_view header, std::string_view unitText) {
    column.header = header;
    // Counters of bytes have the unit of the monitors that write them; see columnOf.
    if (column.role != Role::Metric || (column.counterBits != 0 && column.metric.unit == "B"))
        return column;
    adoptUnit(column, unitText);
    const bool isUsual = column.unitKnown || unitText.empty() || isRemark(header, unitText)
        || (column.metric.unit == "°C" && saysCelsius(unitText));
    if (column.certain && column.form == CellForm::Number && !isUsual)
        column.foreignUnit = unitText;
    return column;
}

} // namespace

Column columnNamed(std::string_view header) {
    header = trimmed(header);
    while (header.starts_with('#')) // a header that is a comment
        header = trimmed(header.substr(1));
    if (auto said = columnSaid(header))
        return std::move(*said);
    HeaderName name = parseHeaderName(header);
    const std::string_view unitText
        = name.unitText.empty() ? std::string_view(name.suffix) : name.unitText;
    const auto finish
        = [&](Column column) { return finished(std::move(column), header, unitText); };
    const RoleNames* role = meaningOf(name.base).role;
    if (role != nullptr && (role->role != Role::Gpu || unitText.empty()))
        return finish(roleColumn(role->role));
    const auto unit = findUnit(unitText);
    if (auto column = metricColumn(name.base)) {
        // "mem_mhz" is the clock of what "mem" alone would be the bytes of.
        const bool isOther = unit && unit->si != column->metric.unit;
        auto composed = isOther ? composedColumn(name.base, unitText) : std::nullopt;
        return finish(composed ? std::move(*composed) : std::move(*column));
    }
    if (name.base == "gpu" && unitText == "%")
        return finish(columnOf(metric::kGpuUtilization, "%"));
    if (const auto gpu = takeGpuNumber(name.base))
        return finish(columnOfGpu(name, *gpu, unitText));
    if (namesStamp(name.base))
        return finish(roleColumn(Role::Stamp));
    if (auto column = composedColumn(name.base, unitText))
        return finish(std::move(*column));
    if (const std::string parted = partedAtCapitals(header); parted != header) {
        Column column = columnNamed(parted);
        column.header = header;
        if (column.certain)
            return column;
    }
    return finish(unknownColumn(name));
}

} // namespace trainscope::importers::nvsmi
