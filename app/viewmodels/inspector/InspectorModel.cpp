#include "app/viewmodels/inspector/InspectorModel.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/derived/Formula.h"
#include "core/report/SelectionTables.h"

#include <QClipboard>
#include <QGuiApplication>

namespace trainscope::app {
namespace {

QString optionalText(const Metric& metric, const std::optional<double>& value) {
    return metricText(metric.name, value, metric.unit);
}

QString sharesText(const std::vector<std::pair<double, std::string>>& states, std::size_t from) {
    QStringList parts;
    for (std::size_t i = from; i < states.size(); ++i)
        parts.append(QStringLiteral("%1 %2").arg(
            textOf(states[i].second), textOf(text::roundedPercent(-states[i].first))));
    return parts.join(QStringLiteral(", "));
}

// A reading of the stretch; constant where it has one value in all of it, or counts nothing.
struct ReadFact {
    Fact fact;
    bool isConstant = false;
};

// The state that was held longest, the others behind it.
ReadFact sharesFact(const MetricStatistics& statistics, const QString& label) {
    std::vector<std::pair<double, std::string>> states;
    for (const auto& [name, share] : statistics.shares)
        states.emplace_back(-share, labelOfName(name));
    std::ranges::sort(states);
    if (states.size() == 1)
        return {{label, textOf(states.front().second)}, true};
    return {{label, sharesText({states.front()}, 0), false,
                QStringLiteral("%1 of the time").arg(sharesText(states, 1))},
        false};
}

ReadFact counterFact(const MetricStatistics& statistics, const QString& label) {
    const Metric& metric = statistics.metric;
    const bool isNothing = statistics.total && *statistics.total == 0.0;
    const QString value
        = isNothing ? QStringLiteral("none") : optionalText(metric, statistics.total);
    return {{QStringLiteral("%1, total").arg(label), value}, isNothing};
}

ReadFact factOf(const MetricStatistics& statistics) {
    const Metric& metric = statistics.metric;
    const QString label = textOf(metric.label.empty() ? metric.name : metric.label);
    if (metric.kind == MetricKind::Counter)
        return counterFact(statistics, label);
    if (metric.kind == MetricKind::Progress && statistics.first && statistics.last)
        return {{label,
                    QStringLiteral("%1, then %2")
                        .arg(optionalText(metric, statistics.first),
                            optionalText(metric, statistics.last)),
                    false, QStringLiteral("least %1").arg(optionalText(metric, statistics.min))},
            *statistics.first == *statistics.last};
    if (!statistics.shares.empty())
        return sharesFact(statistics, label);
    if (!statistics.mean)
        return {{label, noDataText()}, true};
    // Without a sample in the stretch the one before it holds.
    const bool isConstant = statistics.min == statistics.max;
    const QString range = isConstant
        ? QString()
        : QStringLiteral("%1 to %2")
              .arg(optionalText(metric, statistics.min), optionalText(metric, statistics.max));
    return {{label, optionalText(metric, statistics.mean), false, range}, isConstant};
}

// Energy of the nodes beyond that of their GPUs.
QString restText(const RunStatistics& run) {
    if (run.notOfGpus)
        return QStringLiteral("%1 not of the GPUs")
            .arg(textOf(text::roundedPercent(*run.notOfGpus)));
    return run.energy ? QStringLiteral("not all of their GPUs have power for as much of the time")
                      : QString();
}

// Share of the time that the energy covers, unless nearly all, and its source.
QString coverageText(const RunStatistics& run) {
    constexpr double kNearlyAll = 0.995;
    const QString source = textOf(run.energySource);
    if (run.energyCoverage >= kNearlyAll)
        return source;
    const QString covered = QStringLiteral("%1 of the GPUs' time has power")
                                .arg(textOf(text::roundedPercent(run.energyCoverage)));
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
    const QString source = textOf(report::limitSourceText(share.source));
    if (share.seconds <= 0.0) {
        facts.push_back({label, QStringLiteral("never"), false, source});
        return;
    }
    facts.push_back({label,
        QStringLiteral("%1, %2").arg(
            metricText("seconds", share.seconds, "s"), textOf(text::roundedPercent(share.share))),
        false,
        QStringLiteral("highest %1; %2")
            .arg(metricText("gpu_power", share.highestW, "W"), source)});
}

// One figure with its source: of the GPUs, else of their nodes.
void addEnergy(const RunStatistics& run, std::vector<Fact>& facts) {
    const auto measured
        = std::ranges::count_if(run.gpus, [](const auto& gpu) { return gpu.energy.has_value(); });
    const QString nodes = countedText(run.nodes, "node");
    if (!run.energy) {
        if (run.nodeEnergy)
            facts.push_back({QStringLiteral("Energy, %1").arg(nodes),
                metricText("energy", *run.nodeEnergy, "J"), false, restText(run)});
        return;
    }
    QStringList notes{coverageText(run)};
    if (run.nodeEnergy) {
        notes.append(QStringLiteral("%1 of %2 in all")
                         .arg(metricText("energy", *run.nodeEnergy, "J"), nodes));
        notes.append(restText(run));
    }
    notes.removeAll(QString());
    facts.push_back({QStringLiteral("Energy, %1").arg(countedText(measured, "GPU")),
        metricText("energy", *run.energy, "J"), false, notes.join(QStringLiteral("; "))});
}

bool isPowerOfGpus(const MetricStatistics& one) {
    return one.metric.name == metric::kGpuPower && one.mean;
}

std::vector<Fact> factsOf(const RunStatistics& run) {
    std::vector<Fact> facts{{QStringLiteral("Duration"), lengthText(run)}};
    if (!run.gpuModel.empty())
        facts.push_back({QStringLiteral("GPU model"), textOf(run.gpuModel)});
    if (!run.logWithinS.empty())
        facts.push_back({QStringLiteral("Training log placed within"),
            textOf("± " + run.logWithinS + " s"), false,
            run.logIsAmbiguous ? QStringLiteral("other places fit as well")
                               : QStringLiteral("by the edges of the power")});
    addEnergy(run, facts);
    for (const auto& metric : run.metrics) {
        if (!isPowerOfGpus(metric))
            continue;
        facts.push_back(factOf(metric).fact);
        facts.back().label = QStringLiteral("Mean power per GPU");
    }
    addAboveLimit(run, facts);
    return facts;
}

// The energy of the run stands above, from the source that measures it best.
bool isSaidAbove(const RunStatistics& run, const MetricStatistics& one) {
    const bool isEnergy = one.metric.unit == "J" && !analysis::isFormula(one.metric.name);
    return isPowerOfGpus(one) || (isEnergy && (run.energy || run.nodeEnergy));
}

struct Telemetry {
    std::vector<Fact> readings;
    std::vector<Fact> constants;
    std::int64_t constant = 0; // number of constants
    std::int64_t empty = 0;
};

void addTelemetry(const RunStatistics& run, bool isOneOfSeveral, Telemetry& made) {
    const Fact head{textOf(run.name), {}, true};
    std::vector<Fact> readings;
    std::vector<Fact> constants;
    for (const auto& metric : run.metrics) {
        if (isSaidAbove(run, metric))
            continue;
        ReadFact read = factOf(metric);
        made.empty += read.fact.value == noDataText() ? 1 : 0;
        made.constant += read.isConstant && read.fact.value != noDataText() ? 1 : 0;
        (read.isConstant ? constants : readings).push_back(std::move(read.fact));
    }
    for (const auto& [from, to] :
        {std::pair{&readings, &made.readings}, std::pair{&constants, &made.constants}}) {
        if (isOneOfSeveral && !from->empty())
            to->push_back(head);
        to->insert(to->end(), from->begin(), from->end());
    }
}

QString constantsTextOf(const Telemetry& telemetry) {
    QStringList parts;
    if (telemetry.constant > 0)
        parts.append(
            QStringLiteral("%1 stayed constant").arg(countedText(telemetry.constant, "reading")));
    if (telemetry.empty > 0)
        parts.append(QStringLiteral("%1 without data")
                         .arg(parts.isEmpty() ? countedText(telemetry.empty, "reading")
                                              : QString::number(telemetry.empty)));
    return parts.join(QStringLiteral(", "));
}

QString engineTextOf(const std::vector<RunStatistics>& runs) {
    for (const RunStatistics& run : runs) {
        if (!run.told || run.told->metrics >= run.told->of)
            continue;
        const QString metrics
            = QStringLiteral("%1 of %2")
                  .arg(run.told->metrics)
                  .arg(countedText(static_cast<std::int64_t>(run.told->of), "metric"));
        if (!run.told->error)
            return QStringLiteral("Asking the engine: %1…").arg(metrics);
        return (run.told->error->code == ErrorCode::Refused
                ? QStringLiteral("%1: the engine was not asked.")
                : QStringLiteral("%1: the engine does not answer."))
            .arg(metrics);
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
    std::vector<std::string> names;
    for (const auto& run : runs)
        names.push_back(run.name);
    names = text::tellingNames(names);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const auto& gpu : runs[i].gpus) {
            if (!hasGpuFigures(gpu))
                continue;
            const auto name = runs.size() > 1
                ? text::Cell(names[i] + ' ' + std::to_string(gpu.gpu.rank))
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
    : QObject(parent)
    , m_memory(
          {QStringLiteral("Memory held"),
              QStringLiteral("Blocks that lived when most was allocated, by use, size and calls, "
                             "beside the predicted need; and what iterations allocate"),
              QStringLiteral("Reading what lived…")},
          4, true)
    , m_whatIf(
          {QStringLiteral("If it took half the time, or none"),
              QStringLiteral("How much shorter a step would be, by a replay of all that waited "
                             "for what, were kernels of this name faster"),
              QStringLiteral("Replaying a step…")},
          1, true) { }

void InspectorModel::copy() const {
    QGuiApplication::clipboard()->setText(forFiles(text()));
}

QString InspectorModel::text() const {
    QString text = m_selectionTitle + QLatin1Char('\n') + m_selection.text();
    if (m_kernels.isThere())
        text += QLatin1Char('\n') + m_kernels.text();
    for (const TableModel& table : m_memory.models()) {
        if (!table.table().isEmpty())
            text += QLatin1Char('\n') + table.text();
    }
    if (m_telemetry.count() > 0)
        text += QStringLiteral("\nTelemetry, %1\n").arg(m_windowText) + m_telemetry.text();
    if (m_constants.count() > 0)
        text += QLatin1Char('\n') + m_constantsText + QLatin1Char('\n') + m_constants.text();
    if (m_gpus.count() > 0)
        text += QLatin1Char('\n') + m_gpus.text();
    if (m_cursor.count() > 0)
        text += QLatin1Char('\n') + m_cursorTitle + QLatin1Char('\n') + m_cursor.text();
    if (hasSpan())
        text += QLatin1Char('\n') + m_span.text();
    if (!m_whatIf.text().isEmpty())
        text += QLatin1Char('\n') + m_whatIf.text();
    return text;
}

void InspectorModel::startStatistics(const QString& title, const QString& window) {
    m_selectionTitle = title;
    m_windowText = window;
    m_computing = true;
    Q_EMIT selectionChanged();
}

void InspectorModel::showStatistics(const Result<std::vector<RunStatistics>>& statistics) {
    m_computing = false;
    m_error.clear();
    m_engineText = statistics.hasValue() ? engineTextOf(statistics.value()) : QString();
    std::vector<Fact> facts;
    Telemetry telemetry;
    const auto anyRun = [&statistics](const auto& has) {
        return statistics.hasValue() && std::ranges::any_of(statistics.value(), has);
    };
    m_kernels.above()->setAvailable(anyRun([](const RunStatistics& run) {
        return run.isTraced && run.aboveLimit && run.aboveLimit->seconds > 0.0;
    }));
    m_kernels.energy()->setAvailable(
        anyRun([](const RunStatistics& run) { return run.isTraced && run.energy.has_value(); }));
    m_memory.setAvailable(anyRun([](const RunStatistics& run) {
        return std::ranges::any_of(run.metrics, [](const MetricStatistics& one) {
            return one.metric.name == metric::kTorchAllocated && one.mean;
        });
    }));
    if (!statistics.hasValue()) {
        m_error = shownText(statistics.error());
        m_gpus.show(gpuContent({}));
    } else {
        for (const auto& run : statistics.value()) {
            if (statistics.value().size() > 1)
                facts.push_back({textOf(run.name), {}, true});
            const auto own = factsOf(run);
            facts.insert(facts.end(), own.begin(), own.end());
            addTelemetry(run, statistics.value().size() > 1, telemetry);
        }
        m_gpus.show(gpuContent(statistics.value()));
    }
    m_selection.setFacts(std::move(facts));
    m_constantsText = constantsTextOf(telemetry);
    m_telemetry.setFacts(std::move(telemetry.readings));
    m_constants.setFacts(std::move(telemetry.constants));
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

QString InspectorModel::spanName() const {
    return m_shownSpan ? textOf(m_shownSpan->name) : QString();
}

void InspectorModel::showSpan(const std::optional<SpanReport>& report) {
    m_shownSpan = report;
    m_whatIf.setAvailable(report && report->span.kind == SpanKind::Kernel);
    m_span.setFacts(report ? report->facts : std::vector<Fact>());
    Q_EMIT spanChanged();
}

void InspectorModel::clear() {
    m_selectionTitle.clear();
    m_windowText.clear();
    m_computing = false;
    m_error.clear();
    m_engineText.clear();
    for (AskedTables* asked : {m_kernels.above(), m_kernels.energy(), &m_memory})
        asked->setAvailable(false);
    m_selection.setFacts({});
    m_telemetry.setFacts({});
    m_constants.setFacts({});
    m_constantsText.clear();
    m_gpus.show(gpuContent({}));
    m_kernels.clear();
    m_memory.clear();
    m_whatIf.clear();
    clearCursor();
    showSpan(std::nullopt);
    Q_EMIT selectionChanged();
}

} // namespace trainscope::app
