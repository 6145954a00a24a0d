#include "importers/meters/Column.h"

#include "core/model/AsciiText.h"
#include "importers/common/SaidColumns.h"
#include "importers/common/Stamp.h"
#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters::smi {

namespace {

using Role = ColumnRole;

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

bool isTemperature(std::string_view name) {
    const auto metric = importers::metricNamed(name);
    return metric && metric->unit == "C";
}

bool isUnitSuffix(const std::vector<std::string_view>& parts) {
    return findUnit(parts.back())
        || (isFahrenheit(parts.back()) && isTemperature(joined(parts, parts.size() - 1)));
}

// "tx_pci_mb_per_sec" → "tx.pci" and "mb/s"; "power_W" → "power" and "W".
HeaderName parseHeaderName(std::string_view header) {
    HeaderName name;
    const bool hasCase = std::any_of(header.begin(), header.end(), isLower);
    std::string remarks; // "Temperature (Sensor junction) (C)": before the unit
    std::size_t open = header.find_first_of("[(");
    const std::string_view front = header.substr(0, open);
    while (open != std::string_view::npos) {
        const std::size_t close = header.find_first_of("])", open);
        const std::string_view inside = trimmed(
            header.substr(open + 1, close == std::string_view::npos ? close : close - open - 1));
        open = close == std::string_view::npos ? close : header.find_first_of("[(", close);
        if (open != std::string_view::npos)
            remarks.append(" ").append(inside);
        else
            name.unitText = inside;
    }
    const std::string named = std::string(front) + remarks;
    header = named;
    const auto parts = words(header, " ._-/:");
    std::size_t count = parts.size();
    const std::string rate
        = count >= 3 ? std::string(parts[count - 2]) + "/" + std::string(parts[count - 1]) : "";
    if (name.unitText.empty() && findUnit(rate)) { // "rx_mb_s"
        name.suffix = rate;
        count -= 2;
    } else if (name.unitText.empty() && count >= 4 && equalsIgnoringCase(parts[count - 2], "per")
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

std::optional<Column> columnFor(const std::optional<NamedMetric>& known) {
    if (!known)
        return std::nullopt;
    Column column = columnOf(known->metric, known->unit);
    column.form = known->form;
    column.sensor = known->sensor;
    column.ofNode = known->isOfNode;
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

Column unknownColumn(const HeaderName& name) {
    Column column;
    const std::string own = ownMetricName(name.base);
    column.role = own.empty() ? Role::Ignored : Role::Metric;
    column.metric = meterMetric(own, "1");
    return column;
}

Column roleColumn(Role role) {
    Column column;
    column.role = role;
    column.certain = true;
    return column;
}

// "gpu3_power_w", "GPU3": of one GPU, whatever its words say.
Column columnOfGpu(const HeaderName& name, int gpu, std::string_view unitText) {
    const bool isBare = name.base.empty() && unitText.empty();
    auto column = isBare ? columnFor(importers::metricNamed("power"))
                         : columnFor(importers::metricNamed(name.base));
    if (!column)
        column = columnFor(metricOfWords(name.base, unitText));
    Column owned = column ? std::move(*column) : unknownColumn(name);
    owned.ofNode = false;
    owned.gpu = gpu;
    owned.certain = true;
    return owned;
}

// With its header, and the unit that stands there.
Column finished(Column column, std::string_view header, std::string_view unitText) {
    column.header = header;
    if (column.role == Role::Stamp || column.role == Role::Elapsed)
        column.nsPerUnit = timeUnit(unitText).value_or(0);
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

std::string ownMetricName(std::string_view header) {
    const std::string lower = lowered(header.substr(0, header.find_first_of("[(")));
    std::string name;
    for (const std::string_view part : words(lower, " ._-/:"))
        name += (name.empty() ? "" : "_") + std::string(part);
    return name;
}

Column columnOf(std::string_view metric, std::string_view unit) {
    Column column;
    static_cast<SeriesDescription&>(column) = meterSeries(metric, unit);
    column.role = Role::Metric;
    column.certain = true;
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
        column.metric = meterMetric(share ? "mem_utilization" : ownMetricName(column.header), "1");
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

// As the user says it.
std::optional<Column> columnSaid(std::string_view header) {
    const auto said = saidColumn(header);
    if (!said)
        return std::nullopt;
    using Named = std::pair<std::string_view, Role>;
    constexpr auto kSaidRoles
        = std::to_array<Named>({{"time", Role::Stamp}, {"gpu", Role::Gpu}, {"host", Role::Host},
            {"name", Role::Name}, {"uuid", Role::Uuid}, {"ignore", Role::Ignored}});
    Column column;
    for (const auto& [name, role] : kSaidRoles) {
        if (said->meaning == name)
            column.role = role;
    }
    const bool isRole = std::any_of(kSaidRoles.begin(), kSaidRoles.end(),
        [&said](const Named& named) { return named.first == said->meaning; });
    if (!isRole) {
        const auto usual = usualOf(said->meaning);
        column = columnOf(said->meaning, usual ? usual->unit : std::string_view());
        column.form = usual ? usual->form : CellForm::Number;
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
    const Role role = roleNamed(name.base);
    if (role != Role::None && (role != Role::Gpu || unitText.empty()))
        return finish(roleColumn(role));
    const auto unit = findUnit(unitText);
    if (auto column = columnFor(importers::metricNamed(name.base))) {
        // "mem_mhz" is the clock of what "mem" alone would be the bytes of.
        const bool isOther = unit && unit->si != column->metric.unit;
        auto composed = isOther ? columnFor(metricOfWords(name.base, unitText)) : std::nullopt;
        return finish(composed ? std::move(*composed) : std::move(*column));
    }
    if (name.base == "gpu" && unitText == "%")
        return finish(columnOf(metric::kGpuUtilization, "%"));
    if (const auto gpu = takeGpuNumber(name.base))
        return finish(columnOfGpu(name, *gpu, unitText));
    if (namesStamp(name.base))
        return finish(roleColumn(Role::Stamp));
    if (auto column = columnFor(metricOfWords(name.base, unitText)))
        return finish(std::move(*column));
    if (const std::string parted = partedAtCapitals(header); parted != header) {
        Column column = columnNamed(parted);
        column.header = header;
        if (column.certain)
            return column;
    }
    return finish(unknownColumn(name));
}

} // namespace trainscope::importers::meters::smi
