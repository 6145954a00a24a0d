// The window: the table of all runs and the inspector.
#include "app/viewmodels/runs/RunsController.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "app/viewmodels/workspace/Views.h"
#include "app/whole/support/Places.h"
#include "core/analysis/traces/Phase.h"
#include "core/model/Metric.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <memory>

namespace trainscope::test {

namespace {

constexpr int kLongestMs = 120'000;

// Metrics of a run by the words that stand before their values.
std::map<std::string, Metric> metricsByLabel(const AskedRun& asked) {
    std::map<std::string, Metric> labels;
    const auto series = asked.studies.store.series(asked.run.id);
    if (!series.hasValue())
        return labels;
    for (const Series& one : series.value()) {
        const Metric& metric = one.description.metric;
        labels[metric.label.empty() ? metric.name : metric.label] = metric;
    }
    labels["Mean power per GPU"] = *findMetric(metric::kGpuPower);
    return labels;
}

class InspectorReader {
public:
    InspectorReader(app::InspectorModel& inspector, const AskedRun& asked, PlaceNumbers& numbers)
        : m_inspector(inspector)
        , m_asked(asked)
        , m_numbers(numbers)
        , m_metrics(metricsByLabel(asked)) { }

    void collect() {
        for (const auto* facts :
            {m_inspector.selection(), m_inspector.telemetry(), m_inspector.constants()}) {
            for (const app::Fact& fact : facts->facts())
                takeFact(
                    fact.label.toStdString(), fact.value.toStdString(), fact.note.toStdString());
        }
        takeGpus();
        takeKernels();
        takeEnergy();
    }

private:
    void read(const std::string& key, const std::string& text, std::string_view unit) {
        m_numbers.read(m_asked.run.name, kWholeRun, key, text, unit);
    }
    void takeFact(const std::string& label, const std::string& value, const std::string& note) {
        if (label == "Duration")
            return read("duration_s", value, "s");
        if (label.starts_with("Energy, ") && label.find("GPU") != std::string::npos)
            return read("energy_j", value, "J");
        if (label.starts_with("Above the limit of ")) {
            read("above_limit.limit_w", label, "W");
            read("above_limit.seconds", value, "s");
            read("above_limit.share", value, "1");
            return read("above_limit.highest_w", note, "W");
        }
        const std::string total = ", total";
        const bool isTotal = label.ends_with(total);
        const auto found
            = m_metrics.find(isTotal ? label.substr(0, label.size() - total.size()) : label);
        if (found == m_metrics.end())
            return;
        takeMetric(found->second, value, note);
    }
    void takeMetric(const Metric& metric, const std::string& value, const std::string& note) {
        if (metric.kind == MetricKind::Counter)
            return read(metric.name + ".total", value, metric.unit);
        if (!isAveraged(metric.kind))
            return;
        read(metric.name + ".mean", value, metric.unit);
        std::vector<TextNumber> range = numbersIn(note);
        std::erase_if(range, [&](const TextNumber& one) { return one.unit != metric.unit; });
        if (range.size() != 2) {
            read(metric.name + ".min", value, metric.unit);
            return read(metric.name + ".max", value, metric.unit);
        }
        read(metric.name + ".min", range.front().text, metric.unit);
        read(metric.name + ".max", range.back().text, metric.unit);
    }

    void takeGpus() {
        for (int row = 0; row < m_inspector.gpus()->count(); ++row) {
            const QStringList cells = m_inspector.gpus()->at(row, "cells").toStringList();
            const std::string gpu = rankOf(m_asked.run.name, cells[0].toInt());
            const std::pair<const char*, const char*> columns[]{{"gpu_power.mean", "W"},
                {"gpu_power.max", "W"}, {"gpu_temperature.max", "°C"}, {"energy_j", "J"}};
            for (int i = 0; i < 4; ++i)
                m_numbers.read(gpu, kWholeRun, columns[i].first, cells[i + 1].toStdString(),
                    columns[i].second);
        }
    }

    static std::string keyOf(std::string title) {
        std::replace(title.begin(), title.end(), ' ', '_');
        return title;
    }
    void takeKernels() {
        const std::string& run = m_asked.run.name;
        app::KernelFigures& kernels = *m_inspector.kernels();
        for (const auto& row : kernels.times()->table().inWords()) {
            m_numbers.read(run, kTraced, keyOf(row[0]) + "_s", row[1], "s");
            m_numbers.read(run, kTraced, keyOf(row[0]) + "_fraction", row[2], "1");
        }
        const std::pair<const char*, app::TableModel*> named[]{
            {", kernel ", kernels.names()}, {", category ", kernels.categories()}};
        for (const auto& [part, table] : named) {
            for (const auto& row : table->table().inWords()) {
                m_numbers.read(run + part + row[0], kTraced, "count", row[1], "1");
                m_numbers.read(run + part + row[0], kTraced, "time_s", row[2], "s");
            }
        }
    }
    void takeEnergy() {
        for (const auto& row :
            m_inspector.kernels()->energy()->models().front().table().inWords()) {
            const auto phase
                = std::find_if(analysis::kAllPhases.begin(), analysis::kAllPhases.end(),
                    [&row](analysis::Phase one) { return analysis::phaseTitle(one) == row[0]; });
            if (phase != analysis::kAllPhases.end())
                m_numbers.read(m_asked.run.name, kTraced,
                    "energy_by_phase." + std::string(toString(*phase)), row[1], "J");
            else
                m_numbers.read(m_asked.run.name + ", kernel " + row[0], kTraced, "traced_energy_j",
                    row[1], "J");
        }
    }

    app::InspectorModel& m_inspector;
    const AskedRun& m_asked;
    PlaceNumbers& m_numbers;
    std::map<std::string, Metric> m_metrics;
};

} // namespace

// With all of the run in view.
void collectInspector(app::Workspace& workspace, const AskedRun& asked, PlaceNumbers& numbers) {
    workspace.setShown({asked.run.id});
    app::TimelineController timeline;
    timeline.setWorkspace(&workspace);
    timeline.setViewSize(1160, 700, 1.0);
    app::InspectorModel& inspector = *timeline.inspector();
    const auto isThere
        = [&] { return inspector.selection()->count() > 0 && !inspector.isComputing(); };
    if (!QTest::qWaitFor(isThere, kLongestMs))
        return;
    inspector.kernels()->energy()->setAsked(true);
    settles(workspace);
    InspectorReader(inspector, asked, numbers).collect();
}

void collectRunTable(
    app::Workspace& workspace, const std::vector<AskedRun>& asked, PlaceNumbers& numbers) {
    app::Views views;
    views.setWorkspace(&workspace);
    app::RunsController table;
    table.setViews(&views);
    for (const QString& title : table.columnTitles())
        if (const auto i = table.columnTitles().indexOf(title); !table.columnsShown()[i])
            table.toggleColumn(static_cast<int>(i));
    table.setActive(true);
    if (!QTest::qWaitFor(
            [&] { return !table.isLoading() && table.measuringText().isEmpty(); }, kLongestMs))
        return;
    const auto& heads = table.table()->heads()->rows();
    for (int row = 0; row < table.table()->count(); ++row) {
        const std::string name = table.table()->at(row, "name").toString().toStdString();
        const auto run = std::find_if(asked.begin(), asked.end(),
            [&name](const AskedRun& one) { return one.run.name == name; });
        const QStringList cells = table.table()->at(row, "cells").toStringList();
        for (std::size_t i = 0; run != asked.end() && i < heads.size(); ++i) {
            if (!heads[i].isNumber)
                continue;
            const auto found
                = numbersIn((cells[static_cast<qsizetype>(i)] + QLatin1Char(' ') + heads[i].unit)
                                .toStdString());
            if (!found.empty())
                numbers.read(name, windowOfQuantity(*run, kWholeRun, heads[i].key.toStdString()),
                    keyOfQuantity(heads[i].key.toStdString()), found.front().text,
                    found.front().unit);
        }
    }
}

} // namespace trainscope::test
