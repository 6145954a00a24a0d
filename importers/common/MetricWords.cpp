#include "importers/common/MetricWords.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Stamp.h"

#include <unordered_map>

namespace trainscope::importers {

namespace {

// Whole names, words joined by '.': those of nvidia-smi and of the scripts around it.
struct PartNames {
    ColumnRole part;
    std::string_view names; // separated by blanks
};
constexpr auto kPartNames = std::to_array<PartNames>({
    {ColumnRole::Stamp,
        "timestamp time datetime date.time date ts t time.stamp epoch unix unix.time utc "
        "wall.time zeit zeitstempel uhrzeit datum"},
    {ColumnRole::Elapsed, "relative.time elapsed elapsed.time time.elapsed relative uptime"},
    {ColumnRole::Gpu,
        "gpu gpu.index gpu.id index idx device device.index device.id id gpu.idx gpu.num "
        "gpu.number "
        "gpuid gpuindex local.rank rank minor.number"},
    {ColumnRole::Uuid, "uuid gpu.uuid"},
    {ColumnRole::BusId, "pci.bus.id gpu.bus.id bus.id busid pci.bus pci"},
    {ColumnRole::Serial, "serial gpu.serial serial.number"},
    {ColumnRole::Host, "host hostname node node.name server machine"},
    {ColumnRole::Name, "name gpu.name product.name model gpu.model device.name"},
    {ColumnRole::Ignored,
        "count driver.version vbios.version driver display.mode display.active persistence.mode "
        "compute.mode "
        "mig.mode.current mig.mode.pending pci.domain pci.device pci.device.id pci.sub.device.id "
        "compute.cap accounting.mode inforom.img inforom.oem inforom.ecc inforom.pwr "
        "gpu.operation.mode.current "
        "process.name sample iteration step line row no module.id"},
    {ColumnRole::Process, "pid process.id"},
});

struct MetricNames {
    std::string_view metric;
    std::string_view unit;
    std::string_view names;
    CellForm form = CellForm::Number;
    SensorKind sensor = SensorKind::Unknown;
};
constexpr auto kMetricNames = std::to_array<MetricNames>({
    {metric::kGpuPower, "W",
        "power.draw power gpu.power gpu.power.draw power.usage pwr draw.power board.power draw "
        "power.consumption gpu.power.usage"},
    {metric::kGpuPower, "W",
        "power.draw.instant power.instant gpu.power.instant instant.power "
        "current.socket.graphics.package.power current.socket.power",
        CellForm::Number, SensorKind::Instant},
    {metric::kGpuPower, "W",
        "power.draw.average power.average gpu.power.average average.power avg.power "
        "average.graphics.package.power average.socket.power",
        CellForm::Number, SensorKind::Averaged},
    {metric::kPowerLimit, "W",
        "power.limit gpu.power.limit power.cap enforced.power.limit power.limit.enforced "
        "power.max"},
    {metric::kGpuTemperature, "C",
        "temperature.gpu temperature temp gpu.temp gpu.temperature temp.gpu gtemp gpu.thermal "
        "core.temp temperature.aip"},
    {metric::kMemTemperature, "C",
        "temperature.memory temperature.mem mem.temp memory.temp memory.temperature "
        "mem.temperature mtemp hbm.temp"},
    {metric::kSmClock, "MHz",
        "clocks.sm clocks.current.sm sm.clock clock.sm sm sm.clk sm.freq gpu.clock pclk"},
    {"graphics_clock", "MHz",
        "clocks.gr clocks.current.graphics clocks.graphics graphics.clock clock.graphics gr.clock "
        "clock clocks"},
    {metric::kMemClock, "MHz",
        "clocks.mem clocks.current.memory clocks.memory mem.clock memory.clock clock.mem "
        "clock.memory mclk"},
    {"video_clock", "MHz", "clocks.video clocks.current.video video.clock"},
    {metric::kGpuUtilization, "%",
        "utilization.gpu gpu.utilization gpu.util util.gpu utilization util gpu.usage gpu.load "
        "sm.util usage gpuutil utilization.aip"},
    {metric::kMemUtilization, "%",
        "utilization.memory memory.utilization mem.util memory.util util.memory util.mem "
        "utilization.mem mem.utilization memutil"},
    {metric::kMemUsed, "MiB",
        "memory.used mem.used memory.usage used.memory vram.used memory.allocated used.gpu.memory "
        "fb.used gpu.memory.used "
        "memory mem vram gpu.memory"},
    {metric::kMemTotal, "MiB",
        "memory.total mem.total total.memory vram.total fb.total gpu.memory.total"},
    {"mem_free", "MiB", "memory.free mem.free free.memory fb.free gpu.memory.free"},
    {"mem_reserved", "MiB", "memory.reserved"},
    {"encoder_utilization", "%", "utilization.encoder utilization.enc"},
    {"decoder_utilization", "%", "utilization.decoder utilization.dec"},
    {metric::kFanSpeed, "%", "fan.speed fan"},
    {"pstate", "", "pstate performance.state perf", CellForm::PerformanceState},
    {metric::kThrottleReasons, "",
        "clocks.throttle.reasons.active clocks.event.reasons.active throttle.reasons event.reasons "
        "throttle.reasons.active clocks.throttle.reasons reasons throttle.reason clock.reasons",
        CellForm::Hex},
    {"pcie_link_gen", "", "pcie.link.gen.current pcie.link.gen.gpucurrent pcie.gen"},
    {"pcie_link_width", "", "pcie.link.width.current pcie.width"},
    {metric::kPcieTxRate, "MB/s",
        "tx.pci tx.pcie pcie.tx pci.tx txpci pcie.tx.throughput pcie.throughput.tx"},
    {metric::kPcieRxRate, "MB/s",
        "rx.pci rx.pcie pcie.rx pci.rx rxpci pcie.rx.throughput pcie.throughput.rx"},
    // A counter only where its numbers rise; see settleForms() of the tables.
    {metric::kGpuEnergy, "J",
        "energy gpu.energy total.energy energy.total energy.consumption total.energy.consumption "
        "gpu.energy.consumption energy.consumed gpu.energy.consumed energy.counter "
        "cumulative.energy"},
    {metric::kPcieTx, "GB", "cumulative.tx"},
    {metric::kPcieRx, "GB", "cumulative.rx"},
});

// One of both.
struct NameMeaning {
    ColumnRole part = ColumnRole::None;
    const MetricNames* metric = nullptr;
};

NameMeaning meaningOf(std::string_view name) {
    static const auto meanings = [] {
        std::unordered_map<std::string_view, NameMeaning> all;
        for (const PartNames& part : kPartNames) {
            for (const std::string_view each : words(part.names, " "))
                all.try_emplace(each, NameMeaning{part.part, nullptr});
        }
        for (const MetricNames& metric : kMetricNames) {
            for (const std::string_view each : words(metric.names, " "))
                all.try_emplace(each, NameMeaning{ColumnRole::None, &metric});
        }
        return all;
    }();
    const auto found = meanings.find(name);
    return found == meanings.end() ? NameMeaning{} : found->second;
}

NamedMetric asNamed(const MetricNames& names) {
    return {names.metric, names.unit, names.sensor, names.form};
}

// Words of names, one list for all tables: of what, and which quantity.
enum class Part { None, Gpu, Graphics, Sm, Memory, Cpu, HostMemory, Node, Hotspot };
enum class Quantity { None, Power, Limit, Temperature, Clock, Use, Used, Total, Free, Fan };

struct PartWord {
    Part part;
    std::string_view words;
};
constexpr auto kPartWords = std::to_array<PartWord>({
    {Part::Gpu, "gpu gpus cuda card board nvidia device accelerator nvml smi"},
    {Part::Graphics, "graphics gfx gr"},
    {Part::Sm, "sm core shader"},
    {Part::Memory, "mem memory vram fb hbm framebuffer"},
    {Part::Cpu, "cpu processor package pkg"},
    {Part::HostMemory, "ram dram"},
    {Part::Node, "node system sys host server machine platform wall"},
    {Part::Hotspot, "hotspot junction"},
});
struct QuantityWord {
    Quantity quantity;
    std::string_view words;
};
constexpr auto kQuantityWords = std::to_array<QuantityWord>({
    {Quantity::Power,
        "power pwr watt watts draw consumption wattage leistung leistungsaufnahme puissance"},
    {Quantity::Limit, "limit cap"},
    {Quantity::Temperature, "temperature temperatures temp temps thermal temperatur"},
    {Quantity::Clock, "clock clocks clk frequency freq takt"},
    {Quantity::Use, "utilization utilisation util usage load busy activity use auslastung"},
    {Quantity::Used, "used allocated occupied"},
    {Quantity::Total, "total"},
    {Quantity::Free, "free available"},
    {Quantity::Fan, "fan"},
});
constexpr std::string_view kFillers
    = "current now reading value sensor the of in level speed rate percent percentage average avg "
      "mean instant instantaneous inst edge p";

bool listHas(std::string_view list, std::string_view word) {
    for (const std::string_view each : words(list, " ")) {
        if (each == word)
            return true;
    }
    return false;
}

// Meaning of the words of a name, each of which must be known.
struct NameWords {
    Part part = Part::None;
    Quantity quantity = Quantity::None;
    SensorKind sensor = SensorKind::Unknown;
    bool isKnown = true;

    explicit NameWords(std::string_view base) {
        for (const std::string_view word : words(base, "."))
            take(word);
    }

private:
    void take(std::string_view word) {
        for (const PartWord& known : kPartWords) {
            if (listHas(known.words, word))
                return takePart(known.part);
        }
        for (const QuantityWord& known : kQuantityWords) {
            if (listHas(known.words, word))
                return takeQuantity(known.quantity);
        }
        isKnown = isKnown && listHas(kFillers, word);
        if (word == "average" || word == "avg" || word == "mean")
            sensor = SensorKind::Averaged;
        else if (word.starts_with("inst"))
            sensor = SensorKind::Instant;
    }
    // "GPU memory" is memory, "system memory" that of the host.
    void takePart(Part next) {
        const bool isHost = part == Part::Node || part == Part::Cpu;
        if (next == Part::Memory && isHost)
            part = Part::HostMemory;
        else if (part == Part::None || part == Part::Gpu)
            part = next;
        else if (next != Part::Gpu && next != part)
            isKnown = false;
    }
    // "power draw", "power limit", "memory usage": the later word says more.
    void takeQuantity(Quantity next) {
        const bool isPower = quantity == Quantity::Power
            && (next == Quantity::Limit || next == Quantity::Power || next == Quantity::Use);
        const bool isLimit = quantity == Quantity::Limit && next == Quantity::Power;
        if (quantity == Quantity::None)
            quantity = next;
        else if (isPower)
            quantity = next == Quantity::Limit ? Quantity::Limit : Quantity::Power;
        else if (!isLimit && quantity != next)
            isKnown = false;
    }
};

// The quantity that a unit alone stands for: "gpu_w", "cpu_c".
Quantity quantityOfUnit(std::string_view text) {
    const auto unit = findUnit(text);
    if (isFahrenheit(text) || (unit && unit->si == "°C"))
        return Quantity::Temperature;
    if (!unit)
        return Quantity::None;
    if (unit->si == "W")
        return Quantity::Power;
    if (unit->si == "Hz")
        return Quantity::Clock;
    if (unit->si == "B")
        return Quantity::Used;
    return unit->si == "1" ? Quantity::Use : Quantity::None;
}

struct ComposedMetric {
    Quantity quantity;
    Part part;
    std::string_view metric;
    std::string_view unit;
};
constexpr auto kComposed = std::to_array<ComposedMetric>({
    {Quantity::Power, Part::Gpu, metric::kGpuPower, "W"},
    {Quantity::Power, Part::Memory, metric::kMemPower, "W"},
    {Quantity::Power, Part::Cpu, metric::kCpuPower, "W"},
    {Quantity::Power, Part::HostMemory, metric::kDramPower, "W"},
    {Quantity::Power, Part::Node, metric::kNodePower, "W"},
    {Quantity::Limit, Part::Gpu, metric::kPowerLimit, "W"},
    {Quantity::Temperature, Part::Gpu, metric::kGpuTemperature, "C"},
    {Quantity::Temperature, Part::Sm, metric::kGpuTemperature, "C"},
    {Quantity::Temperature, Part::Memory, metric::kMemTemperature, "C"},
    {Quantity::Temperature, Part::Hotspot, "hotspot_temperature", "C"},
    {Quantity::Temperature, Part::Cpu, metric::kCpuTemperature, "C"},
    {Quantity::Clock, Part::Gpu, metric::kSmClock, "MHz"},
    {Quantity::Clock, Part::Sm, metric::kSmClock, "MHz"},
    {Quantity::Clock, Part::Graphics, "graphics_clock", "MHz"},
    {Quantity::Clock, Part::Memory, metric::kMemClock, "MHz"},
    {Quantity::Clock, Part::Cpu, "cpu_clock", "MHz"},
    {Quantity::Use, Part::Gpu, metric::kGpuUtilization, "%"},
    {Quantity::Use, Part::Sm, metric::kGpuUtilization, "%"},
    {Quantity::Use, Part::Graphics, metric::kGpuUtilization, "%"},
    {Quantity::Use, Part::Memory, metric::kMemUtilization, "%"},
    {Quantity::Use, Part::Cpu, metric::kCpuUtilization, "%"},
    {Quantity::Used, Part::Memory, metric::kMemUsed, "MiB"},
    {Quantity::Total, Part::Memory, metric::kMemTotal, "MiB"},
    {Quantity::Free, Part::Memory, "mem_free", "MiB"},
    {Quantity::Fan, Part::Gpu, metric::kFanSpeed, "%"},
});

bool isSmall(char c) {
    return c >= 'a' && c <= 'z';
}

bool isLetterOf(char c) {
    return isSmall(lowerChar(c));
}

// "gpu0" → 0, with the digits taken off.
std::optional<int> takeNumber(std::string& word) {
    const std::size_t digits = word.find_last_not_of("0123456789") + 1;
    if (digits == word.size() || word.size() - digits > 4)
        return std::nullopt;
    const std::string name = word.substr(0, digits);
    if (!name.empty() && !listHas(kPartWords.front().words, name))
        return std::nullopt;
    const auto number = wholeNumber<int>(std::string_view(word).substr(digits));
    word = name;
    return number;
}

// A whole name of plain numbers that are no counter, in a unit of the same quantity.
std::optional<NamedMetric> gaugeNamed(std::string_view name, std::string_view unit) {
    const auto named = metricNamed(name);
    const auto own = named ? findUnit(named->unit) : std::nullopt;
    const auto said = findUnit(unit);
    if (!own || named->form != CellForm::Number || own->si == "J" || named->unit == "GB"
        || (said && said->si != own->si))
        return std::nullopt;
    return named;
}

} // namespace

ColumnRole roleNamed(std::string_view name) {
    return meaningOf(name).part;
}

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

std::optional<std::int64_t> stampOfKey(std::string_view key) {
    while (key.starts_with('@') || key.starts_with('_'))
        key.remove_prefix(1);
    const std::string parted = lowered(partedAtCapitals(key));
    auto parts = words(parted, " ._-/:");
    std::optional<std::int64_t> unit;
    if (parts.size() > 1) {
        unit = timeUnit(parts.back());
        parts.resize(parts.size() - (unit ? 1 : 0));
    }
    std::string base;
    for (const std::string_view part : parts)
        base.append(base.empty() ? "" : ".").append(part);
    const ColumnRole part = roleNamed(base);
    const bool isStamp
        = part == ColumnRole::Stamp || part == ColumnRole::Elapsed || namesStamp(base);
    return isStamp ? std::optional(unit.value_or(0)) : std::nullopt;
}

std::optional<NamedMetric> metricNamed(std::string_view name) {
    const MetricNames* names = meaningOf(name).metric;
    return names == nullptr ? std::nullopt : std::optional(asNamed(*names));
}

std::optional<NamedMetric> usualOf(std::string_view metric) {
    const auto usual = std::ranges::find(kMetricNames, metric, &MetricNames::metric);
    return usual == kMetricNames.end() ? std::nullopt : std::optional(asNamed(*usual));
}

std::optional<NamedMetric> metricOfWords(std::string_view base, std::string_view unit) {
    NameWords name(base);
    const Quantity ofUnit = quantityOfUnit(unit);
    if (name.quantity == Quantity::None)
        name.quantity
            = name.part == Part::Memory && ofUnit == Quantity::None ? Quantity::Used : ofUnit;
    if (name.part == Part::Memory && name.quantity == Quantity::Use && ofUnit == Quantity::Used)
        name.quantity = Quantity::Used;
    const bool areBytes = name.quantity == Quantity::Used || name.quantity == Quantity::Total
        || name.quantity == Quantity::Free;
    if (ofUnit == Quantity::Used && areBytes && (name.part == Part::None || name.part == Part::Gpu))
        name.part = Part::Memory;
    if (name.part == Part::None)
        name.part = Part::Gpu;
    if (!name.isKnown || name.quantity == Quantity::None)
        return std::nullopt;
    for (const ComposedMetric& known : kComposed) {
        if (known.quantity != name.quantity || known.part != name.part)
            continue;
        const bool isNode
            = known.part == Part::Cpu || known.part == Part::Node || known.part == Part::HostMemory;
        return NamedMetric{known.metric, known.unit,
            known.metric == metric::kGpuPower ? name.sensor : SensorKind::Unknown, CellForm::Number,
            isNode};
    }
    return std::nullopt;
}

std::optional<KeyedMetric> metricOfKey(std::string_view key) {
    constexpr std::size_t kLongest = 200;
    if (key.empty() || key.size() > kLongest)
        return std::nullopt;
    KeyedMetric found;
    if (const std::size_t open = key.find_first_of("[("); open != std::string_view::npos) {
        const std::string_view inside = key.substr(open + 1);
        found.unit = trimmed(inside.substr(0, inside.find_first_of("])")));
        key = key.substr(0, open);
    }
    const std::string parted = lowered(partedAtCapitals(key));
    std::vector<std::string> parts;
    for (const std::string_view part : words(parted, " ._-/:"))
        parts.emplace_back(part);
    for (std::string& part : parts) {
        const auto number = takeNumber(part);
        if (number && found.gpu)
            return std::nullopt;
        if (number)
            found.gpu = number;
    }
    std::erase(parts, std::string());
    if (found.unit.empty() && parts.size() > 1 && (findUnit(parts.back()) || parts.back() == "f")) {
        found.unit = parts.back();
        parts.pop_back();
    }
    std::string base;
    for (const std::string& part : parts)
        base += (base.empty() ? "" : ".") + part;
    const auto composed = base.empty() ? std::nullopt : metricOfWords(base, found.unit);
    const auto metric = composed ? composed : gaugeNamed(base, found.unit);
    if (!metric)
        return std::nullopt;
    found.metric = *metric;
    return found;
}

// "gpuPowerDraw" → "gpu.power.draw"; the same for what has no capitals within its words.
std::string partedAtCapitals(std::string_view header) {
    std::string text;
    for (std::size_t i = 0; i < header.size(); ++i) {
        const bool isCapital = header[i] >= 'A' && header[i] <= 'Z';
        const bool begins = isCapital && i > 0
            && (isSmall(header[i - 1])
                || (i + 1 < header.size() && isSmall(header[i + 1]) && isLetterOf(header[i - 1])));
        if (begins)
            text += '.';
        text += header[i];
    }
    return text;
}

} // namespace trainscope::importers
