#include "app/cli/output/OpenMetrics.h"

#include "app/cli/text/Decimals.h"
#include "app/cli/text/TextFile.h"
#include "core/analysis/statistics/Accumulators.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <span>

namespace trainscope::cli {

namespace {

// The units of OpenMetrics are words in the plural.
std::string_view unitWord(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> words{{{"W", "watts"},
        {"°C", "celsius"}, {"Hz", "hertz"}, {"B", "bytes"}, {"B/s", "bytes_per_second"},
        {"J", "joules"}, {"s", "seconds"}, {"FLOP/s", "flops_per_second"}}};
    for (const auto& [symbol, word] : words) {
        if (symbol == unit)
            return word;
    }
    return {};
}

constexpr bool isNamePart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string familyOf(const Metric& metric) {
    std::string name = "trainscope_";
    for (const char c : metric.name)
        name += isNamePart(c) ? c : '_';
    const auto unit = unitWord(metric.unit);
    return unit.empty() ? name : fmt::format("{}_{}", name, unit);
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\n') {
            result += "\\n";
            continue;
        }
        if (c == '\\' || c == '"')
            result += '\\';
        result += c;
    }
    return result;
}

// Unix seconds without zeros behind.
void appendStamp(std::string& text, TimeNs time) {
    appendUnixSeconds(text, time.ns);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
}

class MetricsWriter {
public:
    MetricsWriter(const store::Store& store, const ExportRequest& request,
        const KeepGoing& keepGoing, TextFile& file)
        : m_store(store)
        , m_request(request)
        , m_keepGoing(keepGoing)
        , m_file(file) { }

    Result<std::int64_t> write() {
        ASSIGN_OR_RETURN(const auto metrics, chosenSeries(m_store, m_request));
        ASSIGN_OR_RETURN(const auto gpus, m_store.gpus(m_request.run.id));
        for (const Gpu& gpu : gpus)
            m_gpus[gpu.rank] = gpu;
        for (const auto& [name, group] : metrics)
            RETURN_IF_ERROR(writeFamily(group));
        m_file.write("# EOF\n");
        RETURN_IF_ERROR(m_file.close());
        return m_samples;
    }

private:
    Status writeFamily(const std::vector<Series>& group) {
        const Metric& metric = group.front().description.metric;
        const bool isCounter = metric.kind == MetricKind::Counter;
        const std::string family = familyOf(metric);
        m_file.write(fmt::format("# TYPE {} {}\n", family, isCounter ? "counter" : "gauge"));
        if (const auto unit = unitWord(metric.unit); !unit.empty())
            m_file.write(fmt::format("# UNIT {} {}\n", family, unit));
        m_file.write(fmt::format("# HELP {} {}\n", family, escaped(metric.label)));
        for (const Series& series : group)
            RETURN_IF_ERROR(writeSeries(family + (isCounter ? "_total" : ""), series));
        return {};
    }

    Status writeSeries(const std::string& name, const Series& series) {
        const std::string head = name + labelsOf(series.description.subject);
        std::optional<analysis::CounterTotal> counted;
        if (series.description.metric.kind == MetricKind::Counter)
            counted.emplace(series.description);
        std::optional<double> first;
        std::string block;
        bool stopped = false;
        const auto status
            = m_store.forEachSample(series.id, kAllTime, [&](auto times, auto values) {
                  block.clear();
                  for (std::size_t i = 0; i < times.size(); ++i) {
                      if (std::isnan(values[i]))
                          continue;
                      double value = values[i];
                      if (counted) {
                          first = first.value_or(value);
                          counted->add(times.subspan(i, 1), values.subspan(i, 1));
                          value = *first + counted->total().value_or(0.0);
                      }
                      fmt::format_to(std::back_inserter(block), "{} {} ", head, value);
                      appendStamp(block, times[i]);
                      block += '\n';
                      ++m_samples;
                  }
                  m_file.write(block);
                  stopped = !m_keepGoing(name);
                  return !stopped;
              });
        return stopped ? Status(cancelled()) : status;
    }

    std::string labelsOf(const Subject& subject) const {
        std::string labels = fmt::format("{{run=\"{}\"", escaped(m_request.run.name));
        const auto add = [&labels](std::string_view name, std::string_view value) {
            labels += fmt::format(",{}=\"{}\"", name, escaped(value));
        };
        if (subject.rank >= 0)
            add("rank", std::to_string(subject.rank));
        const auto gpu = m_gpus.find(subject.rank);
        if (gpu != m_gpus.end()) {
            add("node", std::to_string(gpu->second.node));
            add("gpu", std::to_string(gpu->second.local));
            if (!gpu->second.uuid.empty())
                add("uuid", gpu->second.uuid);
        } else if (subject.node >= 0) {
            add("node", std::to_string(subject.node));
        }
        if (!subject.device.empty())
            add("device", subject.device);
        return labels + "}";
    }

    const store::Store& m_store;
    const ExportRequest& m_request;
    const KeepGoing& m_keepGoing;
    TextFile& m_file;
    std::map<int, Gpu> m_gpus;
    std::int64_t m_samples = 0;
};

} // namespace

Result<std::int64_t> exportOpenMetrics(
    const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing) {
    ASSIGN_OR_RETURN(auto file, newFile(request));
    return MetricsWriter(store, request, keepGoing, file).write();
}

} // namespace trainscope::cli
