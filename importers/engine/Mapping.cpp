#include "importers/engine/Mapping.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/Number.h"

#include <fmt/format.h>

#include <set>

namespace trainscope::importers::engine {

namespace {

struct LabelWord {
    std::string_view word;
    std::string Mapping::*label;
};
constexpr auto kLabelWords = std::to_array<LabelWord>({{"node", &Mapping::nodeLabel},
    {"gpu", &Mapping::gpuLabel}, {"uuid", &Mapping::uuidLabel}, {"model", &Mapping::modelLabel}});

Error nonsense(std::size_t line, std::string_view text) {
    return usageError(fmt::format("Line {} of the mapping makes no sense: \"{}\". Expected is one "
                                  "such as \"gpu_power = my_gpu_watts\" or \"node = host\".",
        line, text));
}

// "my_gpu_watts * 0.001 of node"
std::optional<MappedMetric> metricFrom(
    std::string_view name, const std::vector<std::string_view>& said) {
    MappedMetric metric;
    metric.metric = name;
    metric.engineName = said.front();
    for (std::size_t i = 1; i < said.size(); i += 2) {
        if (i + 1 >= said.size())
            return std::nullopt;
        if (said[i] == "*") {
            const auto scale = parseNumber(said[i + 1]);
            if (!scale || *scale == 0.0)
                return std::nullopt;
            metric.scale = *scale;
        } else if (said[i] == "of" && said[i + 1] == "node") {
            metric.subject = SubjectKind::Node;
        } else if (said[i] != "of" || said[i + 1] != "gpu") {
            return std::nullopt;
        }
    }
    return metric;
}

bool takeLine(std::string_view line, Mapping& mapping) {
    const auto parts = words(line, " \t\r=");
    if (parts.size() == 2 && (parts[0] == "keep" || parts[0] == "leave")) {
        MappedMetric& metric = mapping.metrics.emplace_back();
        metric.engineName = parts[1];
        metric.isLeft = parts[0] == "leave";
        return true;
    }
    if (parts.size() < 2 || line.find('=') == std::string_view::npos)
        return false;
    for (const auto& [word, label] : kLabelWords) {
        if (parts[0] != word)
            continue;
        mapping.*label = parts[1];
        return parts.size() == 2 && isLabelName(parts[1]);
    }
    const auto metric = metricFrom(parts[0], {parts.begin() + 1, parts.end()});
    if (metric)
        mapping.metrics.push_back(*metric);
    return metric.has_value();
}

std::vector<MetricLabel> viewsOf(const Labels& labels) {
    std::vector<MetricLabel> views;
    views.reserve(labels.rest.size());
    for (const auto& [name, value] : labels.rest)
        views.push_back({name, value});
    return views;
}

// With the labels of the mapping under the names that exporters give them.
std::vector<MetricLabel> renamed(const Labels& labels, const Mapping& mapping) {
    auto views = viewsOf(labels);
    const auto put = [&views, &labels](const std::string& label, LabelRole role) {
        const std::string_view value = label.empty() ? std::string_view() : labels.find(label);
        if (value.empty())
            return;
        const auto known = labelsOf(role);
        std::erase_if(views, [&](const MetricLabel& one) {
            return std::find(known.begin(), known.end(), one.name) != known.end();
        });
        views.push_back({known.front(), value});
    };
    put(mapping.nodeLabel, LabelRole::Node);
    put(mapping.gpuLabel, LabelRole::Gpu);
    put(mapping.uuidLabel, LabelRole::Uuid);
    put(mapping.modelLabel, LabelRole::Model);
    return views;
}

Metric metricOf(const MappedMetric& mapped, const Metric& guessed) {
    if (const KnownMetric* known = findMetric(mapped.metric))
        return *known;
    Metric metric = guessed;
    metric.name = mapped.metric;
    metric.label = mapped.metric;
    std::replace(metric.label.begin(), metric.label.end(), '_', ' ');
    return metric;
}

bool isExporterName(std::string_view name) {
    static const auto known = [] {
        std::set<std::string, std::less<>> names;
        for (const ExporterMetric& metric : exporterMetrics()) {
            names.insert(std::string(metric.name));
            names.insert("amd_" + std::string(metric.name));
        }
        return names;
    }();
    return known.contains(name);
}

} // namespace

const MappedMetric* Mapping::find(std::string_view engineName) const {
    const auto at = std::ranges::find(metrics, engineName, &MappedMetric::engineName);
    return at == metrics.end() ? nullptr : &*at;
}

Result<Mapping> mappingFrom(std::string_view text) {
    Mapping mapping;
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        line = trimmed(line.substr(0, line.find('#')));
        if (!line.empty() && !takeLine(line, mapping))
            return nonsense(number, line);
    }
    return mapping;
}

std::string textOf(const Mapping& mapping) {
    std::string text;
    for (const auto& [word, label] : kLabelWords) {
        if (!(mapping.*label).empty())
            text += fmt::format("{} = {}\n", word, mapping.*label);
    }
    for (const MappedMetric& metric : mapping.metrics) {
        if (metric.metric.empty()) {
            text += fmt::format("{} {}\n", metric.isLeft ? "leave" : "keep", metric.engineName);
            continue;
        }
        text += metric.metric + " = " + metric.engineName;
        if (metric.scale != 1.0)
            text += fmt::format(" * {}", metric.scale);
        text += metric.subject == SubjectKind::Node ? " of node\n" : "\n";
    }
    return text;
}

std::optional<ExporterSeries> meaningOf(const Labels& labels, const Mapping& mapping) {
    const MappedMetric* mapped = mapping.find(labels.name);
    if (mapped != nullptr && mapped->isLeft)
        return std::nullopt;
    const auto views = renamed(labels, mapping);
    ExporterSeries series = exporterSeries(labels.name, views);
    if (mapped != nullptr && !mapped->metric.empty()) {
        series.description.metric = metricOf(*mapped, series.description.metric);
        series.description.scale = mapped->scale;
        series.description.counterBits
            = series.description.metric.kind == MetricKind::Counter ? 64 : 0;
        series.whom = exporterSubject(mapped->subject, views);
    } else if (mapped == nullptr && !series.isKnown) {
        return std::nullopt;
    }
    const bool isPart = series.whom.kind == SubjectKind::Gpu && !series.whom.device.empty();
    return isPart || series.whom.kind == SubjectKind::Run ? std::nullopt : std::optional(series);
}

bool isWantedMetric(std::string_view name, const Mapping& mapping) {
    if (const MappedMetric* mapped = mapping.find(name))
        return !mapped->isLeft;
    return isExporterName(name);
}

} // namespace trainscope::importers::engine
