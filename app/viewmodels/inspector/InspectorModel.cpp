#include "app/viewmodels/inspector/InspectorModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/ShownText.h"
#include "core/model/Metric.h"
#include "core/report/AboveLimitTables.h"
#include "core/text/Numbers.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

QString optionalText(const Metric& metric, const std::optional<double>& value) {
    return metricText(metric.name, value, metric.unit);
}

// A row for each state, the longest held first; the metric's name stands at the first.
void addShares(const MetricStatistics& statistics, const QString& label, std::vector<Fact>& facts) {
    std::vector<std::pair<double, std::string>> states;
    for (const auto& [name, share] : statistics.shares)
        states.emplace_back(-share, labelOfName(name));
    std::sort(states.begin(), states.end());
    for (const auto& [share, state] : states)
        facts.push_back({QStringLiteral("%1: %2").arg(label, QString::fromStdString(state)),
            QString::fromStdString(text::roundedPercent(-share)), false,
            QStringLiteral("of the time")});
}

void addMetric(const MetricStatistics& statistics, std::vector<Fact>& facts) {
    const Metric& metric = statistics.metric;
    const QString label = QString::fromStdString(metric.label.empty() ? metric.name : metric.label);
    if (metric.kind == MetricKind::Counter) {
        facts.push_back(
            {QStringLiteral("%1, total").arg(label), optionalText(metric, statistics.total)});
        return;
    }
    if (metric.kind == MetricKind::Progress && statistics.first && statistics.last) {
        facts.push_back({label,
            QStringLiteral("%1, then %2")
                .arg(optionalText(metric, statistics.first), optionalText(metric, statistics.last)),
            false, QStringLiteral("least %1").arg(optionalText(metric, statistics.min))});
        return;
    }
    if (!statistics.shares.empty()) {
        addShares(statistics, label, facts);
        return;
    }
    if (!statistics.mean) {
        facts.push_back({label, noDataText()});
        return;
    }
    const QString min = optionalText(metric, statistics.min);
    const QString max = optionalText(metric, statistics.max);
    const QString range = min == max ? QString() : QStringLiteral("%1 to %2").arg(min, max);
    facts.push_back({label, optionalText(metric, statistics.mean), false, range});
}

// Energy of the nodes beyond that of their GPUs.
QString restText(const RunStatistics& run) {
    if (run.notOfGpus)
        return QStringLiteral("%1 not of the GPUs")
            .arg(QString::fromStdString(text::roundedPercent(*run.notOfGpus)));
    return run.energy ? QStringLiteral("not all of their GPUs have power for as much of the time")
                      : QString();
}

// Share of the time that the energy covers, unless nearly all, and its source.
QString coverageText(const RunStatistics& run) {
    constexpr double kNearlyAll = 0.995;
    const QString source = QString::fromStdString(run.energySource);
    if (run.energyCoverage >= kNearlyAll)
        return source;
    const QString covered
        = QStringLiteral("%1 of the GPUs' time has power")
              .arg(QString::fromStdString(text::roundedPercent(run.energyCoverage)));
    return source.isEmpty() ? covered : QStringLiteral("%1; %2").arg(source, covered);
}

QString lengthText(const RunStatistics& run) {
    if (run.duration <= DurationNs{})
        return noDataText();
    return run.duration == DurationNs{1} ? QStringLiteral("one instant")
                                         : durationText(run.duration);
}

void addAboveLimit(const RunStatistics& run, std::vector<Fact>& facts) {
    if (!run.aboveLimit)
        return;
    const analysis::LimitShare& share = *run.aboveLimit;
    const QString label
        = QStringLiteral("Above the limit of %1").arg(metricText("gpu_power", share.limitW, "W"));
    const QString source = QString::fromStdString(report::limitSourceText(share.source));
    if (share.seconds <= 0.0) {
        facts.push_back({label, QStringLiteral("never"), false, source});
        return;
    }
    facts.push_back({label,
        QStringLiteral("%1, %2").arg(metricText("seconds", share.seconds, "s"),
            QString::fromStdString(text::roundedPercent(share.share))),
        false,
        QStringLiteral("highest %1; %2")
            .arg(metricText("gpu_power", share.highestW, "W"), source)});
}

std::vector<Fact> factsOf(const RunStatistics& run) {
    std::vector<Fact> facts{{QStringLiteral("Duration"), lengthText(run)}};
    if (!run.gpuModel.empty())
        facts.push_back({QStringLiteral("GPU model"), QString::fromStdString(run.gpuModel)});
    if (!run.logWithinS.empty())
        facts.push_back({QStringLiteral("Training log placed within"),
            QString::fromStdString("± " + run.logWithinS + " s"), false,
            run.logIsAmbiguous ? QStringLiteral("other places fit as well")
                               : QStringLiteral("by the edges of the power")});
    const auto measured = std::count_if(
        run.gpus.begin(), run.gpus.end(), [](const auto& gpu) { return gpu.energy.has_value(); });
    if (run.energy)
        facts.push_back({(measured == 1 ? QStringLiteral("Energy, 1 GPU")
                                        : QStringLiteral("Energy, %1 GPUs").arg(measured)),
            metricText("energy", *run.energy, "J"), false, coverageText(run)});
    if (run.nodeEnergy) {
        const QString label = run.nodes == 1 ? QStringLiteral("Energy, 1 node")
                                             : QStringLiteral("Energy, %1 nodes").arg(run.nodes);
        facts.push_back({label, metricText("energy", *run.nodeEnergy, "J"), false, restText(run)});
    }
    for (const auto& metric : run.metrics) {
        if (metric.metric.name != metric::kGpuPower || !metric.mean || !metric.max)
            continue;
        facts.push_back(
            {QStringLiteral("Mean power per GPU"), optionalText(metric.metric, metric.mean)});
        facts.push_back(
            {QStringLiteral("Peak power per GPU"), optionalText(metric.metric, metric.max)});
    }
    addAboveLimit(run, facts);
    for (const auto& metric : run.metrics)
        addMetric(metric, facts);
    return facts;
}

QString engineTextOf(const std::vector<RunStatistics>& runs) {
    for (const RunStatistics& run : runs) {
        if (!run.told || run.told->metrics >= run.told->of)
            continue;
        if (run.told->error)
            return QStringLiteral("%1 of %2 metrics: the engine does not answer.")
                .arg(run.told->metrics)
                .arg(run.told->of);
        return QStringLiteral("Asking the engine: %1 of %2 metrics…")
            .arg(run.told->metrics)
            .arg(run.told->of);
    }
    return {};
}

bool hasGpuFigures(const GpuStatistics& gpu) {
    return gpu.meanPower || gpu.peakTemperature || gpu.energy;
}

// A row for each GPU with its figures over the selection; of several runs it says whose it is.
TableContent gpuContent(const std::vector<RunStatistics>& runs) {
    const auto words = [](const QString& text) { return text.toStdString(); };
    auto table = std::make_shared<text::Table>();
    table->columns = {{words(QStringLiteral("GPU")), text::Align::Left},
        text::inUnit(words(QStringLiteral("mean power")), "W"),
        text::inUnit(words(QStringLiteral("peak power")), "W"),
        text::inUnit(words(QStringLiteral("peak temperature")), "°C"),
        text::inUnit(words(QStringLiteral("energy")), "J")};
    for (const auto& run : runs) {
        for (const auto& gpu : run.gpus) {
            if (!hasGpuFigures(gpu))
                continue;
            const auto name = runs.size() > 1
                ? text::Cell(run.name + ' ' + std::to_string(gpu.gpu.rank))
                : text::Cell(gpu.gpu.rank);
            table->add({name, gpu.meanPower, gpu.peakPower, gpu.peakTemperature, gpu.energy});
        }
    }
    TableContent content = contentOf(table, text::Digits::Four);
    const QStringList narrow{QStringLiteral("GPU"), QStringLiteral("mean"), QStringLiteral("peak"),
        QStringLiteral("hottest"), QStringLiteral("energy")};
    for (std::size_t i = 0; i < content.heads.size(); ++i)
        content.heads[i].tip
            = std::exchange(content.heads[i].title, narrow[static_cast<qsizetype>(i)]);
    return content;
}

} // namespace

InspectorModel::InspectorModel(QObject* parent)
    : QObject(parent) { }

void InspectorModel::copy() const {
    QGuiApplication::clipboard()->setText(forFiles(text()));
}

QString InspectorModel::text() const {
    QString text = m_selectionTitle + QLatin1Char('\n') + m_selection.text();
    if (m_gpus.count() > 0)
        text += QLatin1Char('\n') + m_gpus.text();
    if (m_kernels.isThere())
        text += QLatin1Char('\n') + m_kernels.text();
    if (const QString memory = m_memory.tablesText(); !memory.isEmpty())
        text += QLatin1Char('\n') + memory;
    if (m_cursor.count() > 0)
        text += QLatin1Char('\n') + m_cursorTitle + QLatin1Char('\n') + m_cursor.text();
    if (m_hasSpan)
        text += QLatin1Char('\n') + m_span.text();
    return text;
}

void InspectorModel::startStatistics(const QString& title) {
    m_selectionTitle = title;
    m_computing = true;
    Q_EMIT selectionChanged();
}

void InspectorModel::showStatistics(const Result<std::vector<RunStatistics>>& statistics) {
    m_computing = false;
    m_error.clear();
    m_engineText = statistics.hasValue() ? engineTextOf(statistics.value()) : QString();
    std::vector<Fact> facts;
    const auto anyRun = [&statistics](const auto& has) {
        return statistics.hasValue()
            && std::any_of(statistics.value().begin(), statistics.value().end(), has);
    };
    m_ranAboveLimit = anyRun([](const RunStatistics& run) {
        return run.isTraced && run.aboveLimit && run.aboveLimit->seconds > 0.0;
    });
    m_isEnergyTraced
        = anyRun([](const RunStatistics& run) { return run.isTraced && run.energy.has_value(); });
    m_hasMemory = anyRun([](const RunStatistics& run) {
        return std::any_of(run.metrics.begin(), run.metrics.end(), [](const MetricStatistics& one) {
            return one.metric.name == metric::kTorchAllocated && one.mean;
        });
    });
    if (!statistics.hasValue()) {
        m_error = shownText(statistics.error());
        m_gpus.show(gpuContent({}));
    } else {
        for (const auto& run : statistics.value()) {
            if (statistics.value().size() > 1)
                facts.push_back({QString::fromStdString(run.name), {}, true});
            const auto own = factsOf(run);
            facts.insert(facts.end(), own.begin(), own.end());
        }
        m_gpus.show(gpuContent(statistics.value()));
    }
    m_selection.setFacts(std::move(facts));
    Q_EMIT selectionChanged();
}

void InspectorModel::showCursor(const ProbeResult& probe) {
    m_cursorTitle = probe.gpu.empty() ? QString()
        : probe.hasGpus ? QStringLiteral("GPU at the cursor · rank %1").arg(probe.rank)
                        : QStringLiteral("Values at the cursor");
    m_cursor.setFacts(probe.gpu);
    Q_EMIT cursorChanged();
}

void InspectorModel::clearCursor() {
    m_cursorTitle.clear();
    m_cursor.setFacts({});
    Q_EMIT cursorChanged();
}

void InspectorModel::showSpan(const std::optional<SpanReport>& report) {
    m_hasSpan = report.has_value();
    m_spanName = report ? QString::fromStdString(report->name) : QString();
    m_span.setFacts(report ? report->facts : std::vector<Fact>());
    Q_EMIT spanChanged();
}

void InspectorModel::clear() {
    m_selectionTitle.clear();
    m_computing = false;
    m_error.clear();
    m_engineText.clear();
    m_ranAboveLimit = false;
    m_isEnergyTraced = false;
    m_hasMemory = false;
    m_selection.setFacts({});
    m_gpus.show(gpuContent({}));
    m_kernels.clear();
    m_memory.clear();
    clearCursor();
    showSpan(std::nullopt);
    Q_EMIT selectionChanged();
}

} // namespace trainscope::app
