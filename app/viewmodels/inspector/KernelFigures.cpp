#include "app/viewmodels/inspector/KernelFigures.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/replay/Replay.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/catalogue/Tables.h"
#include "core/plot/timeline/TraceClock.h"
#include "core/report/RunTables.h"
#include "core/report/SelectionTables.h"

#include <QClipboard>
#include <QGuiApplication>

namespace trainscope::app {

namespace {

const QString kReadingThen = QStringLiteral("Reading what ran then…");

using analysis::KernelCategories;

analysis::RankWindow windowOf(const plot::ShownRun& run, const plot::ViewWindow& stretch) {
    return [run, stretch](int rank) {
        return plot::ownRange(run, rank, {run.origin + stretch.begin, run.origin + stretch.end});
    };
}

bool isTraced(const RunFacts& facts) {
    return std::ranges::any_of(facts.tracks, [](const Track& track) {
        const TrackKind kind = track.description.kind;
        return kind == TrackKind::Stream || kind == TrackKind::Thread;
    });
}

std::vector<std::size_t> tracedPlaces(const KernelStretch& stretch) {
    std::vector<std::size_t> places;
    const std::size_t count = std::min(stretch.runs.size(), stretch.catalogue->runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        if (isTraced(stretch.catalogue->facts(i)))
            places.push_back(i);
    }
    return places;
}

// The reasons, where no energy is told of anything.
QString whyNothingOf(const text::Table& table) {
    return table.notes.empty() ? QStringLiteral("Nothing was traced in this time.")
                               : listOf(table.notes).join(QLatin1Char('\n'));
}

QString wordsOf(const ProgressState& state) {
    const QString phase = textOf(state.phase);
    if (state.bytesTotal == 0)
        return QStringLiteral("%1…").arg(phase);
    const double done = 100.0 * static_cast<double>(state.bytesDone);
    return QStringLiteral("%1, %2 %…")
        .arg(phase)
        .arg(static_cast<int>(done / static_cast<double>(state.bytesTotal)));
}

// The part of the run that holds a span; empty: it has none.
std::string captureOf(const RunFacts& facts, const SpanReport& report) {
    const auto parts = analysis::partsByCapture(facts.captures);
    for (const Capture& one : facts.captures) {
        const bool holds = one.rank == report.rank && one.range.begin <= report.span.start
            && report.span.start <= one.range.end;
        if (holds && std::ranges::find(parts, one.name, &Capture::name) != parts.end())
            return one.name;
    }
    return {};
}

Status readRuns(const store::Store& store, const KernelStretch& stretch,
    const TaskStage<KernelReading>& stage, KernelReading& reading) {
    ASSIGN_OR_RETURN(
        const auto categories, KernelCategories::fromFolder(catalogue::configFolder()));
    const Progress progress = stage.progress([&stage](const ProgressState& state) {
        KernelReading only;
        only.isProgress = true;
        only.doing = wordsOf(state);
        stage.publish(std::move(only));
    });
    reading.places = tracedPlaces(stretch);
    for (const std::size_t i : reading.places) {
        const RunFacts facts = stretch.catalogue->facts(i);
        ASSIGN_OR_RETURN(const auto lacking, analysis::lackingSums({store, facts.run}));
        if (lacking != analysis::LackingSums::None)
            reading.lacking.push_back(facts.run.id);
        const std::size_t place = reading.runs.size();
        reading.runs.emplace_back();
        const auto tell = [&](const analysis::TraceSelection& part) {
            reading.runs[place] = part;
            stage.publish(reading);
        };
        ASSIGN_OR_RETURN(reading.runs[place],
            analysis::selectionOf({store, facts.run, progress},
                windowOf(stretch.runs[i], stretch.stretch), categories, tell));
    }
    return {};
}

} // namespace

AskedTables::AskedTables(Words words, std::size_t tables, bool isOfWholeRuns)
    : m_words(std::move(words))
    , m_isOfWholeRuns(isOfWholeRuns)
    , m_tables(tables) {
    for (TableModel& table : m_tables)
        connect(&table, &TableModel::selected, this, [this](const report::RowSource& source) {
            if (!source.name.empty() && source.run < m_places.size())
                Q_EMIT rowSelected(m_places[source.run], source.name);
        });
}

QVariantList AskedTables::tables() {
    QVariantList tables;
    for (TableModel& table : m_tables)
        tables.append(QVariant::fromValue(&table));
    return tables;
}

void AskedTables::setAvailable(bool available) {
    m_isAvailable = available;
    Q_EMIT changed();
}

void AskedTables::setAsked(bool asked) {
    if (asked == std::exchange(m_isAsked, asked))
        return;
    clear();
    Q_EMIT askedChanged();
}

void AskedTables::say(const QString& text) {
    m_text = text;
    Q_EMIT changed();
}

void AskedTables::clear() {
    fill({});
    say({});
}

void AskedTables::fill(const AskedReading& reading) {
    m_places = reading.places;
    for (std::size_t i = 0; i < m_tables.size(); ++i)
        m_tables[i].setTable(
            i < reading.tables.size() ? reading.tables[i] : report::SourcedTable());
}

void AskedTables::show(const Result<AskedReading>& reading) {
    if (!isAsked())
        return;
    const AskedReading made = reading.valueOr(AskedReading{});
    fill(made);
    say(!reading.hasValue()                      ? shownText(reading.error())
            : m_tables.front().table().isEmpty() ? made.whyNothing
                                                 : QString());
}

KernelFigures::KernelFigures(QObject* parent)
    : QObject(parent)
    , m_above(
          {QStringLiteral("Kernels above the limit"),
              QStringLiteral("Kernels by the energy and time they had while the power was above "
                             "its limit"),
              kReadingThen},
          1)
    , m_energy({QStringLiteral("Where the energy went"),
                   QStringLiteral("Energy of phases and kernels with its 90 % interval, as all "
                                  "readings of the power tell it"),
                   kReadingThen},
          1) {
    connectRows(m_names, analysis::SpanGroup::KernelName);
    connectRows(m_categories, analysis::SpanGroup::KernelCategory);
    connectRows(m_operators, analysis::SpanGroup::OperatorName);
    for (AskedTables* asked : {&m_above, &m_energy})
        connect(asked, &AskedTables::rowSelected, this, [this](std::size_t run, const auto& name) {
            Q_EMIT longestWanted(analysis::SpanGroup::KernelName, run, name);
        });
}

void KernelFigures::connectRows(TableModel& table, analysis::SpanGroup group) {
    connect(&table, &TableModel::selected, this, [this, group](const report::RowSource& source) {
        if (source.run < m_places.size())
            Q_EMIT longestWanted(group, m_places[source.run], source.name);
    });
}

bool KernelFigures::isThere() const {
    const auto tables = copied();
    return std::ranges::any_of(tables, [](const auto* table) { return !table->table().isEmpty(); });
}

void KernelFigures::show(const Result<KernelReading>& reading) {
    if (reading.hasValue() && reading.value().isProgress)
        return showDoing(reading.value().doing);
    m_error = reading.hasValue() ? QString() : shownText(reading.error());
    const KernelReading made = reading.valueOr(KernelReading{});
    m_doing = made.doing;
    m_places = made.places;
    std::size_t devices = 0;
    for (const auto& run : made.runs)
        devices += run.devices.size();
    m_times.setTable(report::deviceTimesTable(made.runs));
    m_gpus.setTable(devices > 1 ? report::gpuSharesTable(made.runs) : text::Table());
    m_exactGpus.setTable(report::gpuTimesTable(made.runs));
    m_names.setTable(report::kernelNamesTable(made.runs));
    m_categories.setTable(report::kernelCategoriesTable(made.runs));
    m_collectives.setTable(report::callTable(made.runs));
    m_launches.setTable(report::launchTable(made.runs));
    m_operators.setTable(report::operatorTable(made.runs));
    Q_EMIT changed();
}

void KernelFigures::showDoing(const QString& doing) {
    m_doing = doing;
    Q_EMIT changed();
}

void KernelFigures::clear() {
    m_above.clear();
    m_energy.clear();
    show(KernelReading{});
}

std::vector<const TableModel*> KernelFigures::copied() const {
    return {&m_times, &m_exactGpus, &m_names, &m_categories, &m_collectives, &m_launches,
        &m_operators, &m_above.models().front(), &m_energy.models().front()};
}

QString KernelFigures::joined(const std::function<QString(const TableModel&)>& of) const {
    QStringList parts;
    for (const auto* table : copied()) {
        if (!table->table().isEmpty())
            parts.push_back(of(*table));
    }
    return parts.join(QLatin1Char('\n'));
}

QString KernelFigures::text() const {
    return joined([](const TableModel& table) { return table.text(); });
}

void KernelFigures::copyAsText() const {
    QGuiApplication::clipboard()->setText(forFiles(text()));
}

void KernelFigures::copyAsCsv() const {
    QGuiApplication::clipboard()->setText(csv());
}

QString whatIfText(const std::string& change, const analysis::StepReplay& replay) {
    const double step = replay.replayedS;
    const double gain = step - *replay.changedS;
    const double least = step - replay.changedHighS.value_or(step - gain);
    const double most = step - replay.changedLowS.value_or(step - gain);
    const std::string by = gain > 0.0
        ? "shorter by " + text::withInterval(gain, least, most, "s", text::Digits::Three)
        : gain < 0.0
        ? "longer by " + text::withInterval(-gain, -most, -least, "s", text::Digits::Three)
        : std::string("as long as before: other work takes its time");
    return textOf(fmt::format("In {}: a step of {} is {}.", change, text::seconds(step), by));
}

void readKernelFigures(const store::Store& store, const KernelStretch& stretch,
    const TaskStage<KernelReading>& stage) {
    KernelReading reading;
    reading.doing = QStringLiteral("Reading on…");
    const Status status = readRuns(store, stretch, stage, reading);
    if (!status.hasValue())
        return stage.publish(status.error());
    reading.doing.clear();
    stage.publish(std::move(reading));
}

Result<AskedReading> readAboveLimit(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress) {
    ASSIGN_OR_RETURN(
        const auto categories, KernelCategories::fromFolder(catalogue::configFolder()));
    AskedReading reading;
    reading.places = tracedPlaces(stretch);
    std::vector<std::vector<analysis::DeviceAboveLimit>> runs;
    for (const std::size_t place : reading.places) {
        const TimeNs origin = stretch.runs[place].origin;
        ASSIGN_OR_RETURN(auto devices,
            analysis::kernelsAboveLimit({store, stretch.catalogue->facts(place).run, progress},
                categories, {origin + stretch.stretch.begin, origin + stretch.stretch.end}));
        runs.push_back(std::move(devices));
    }
    reading.tables = {report::kernelsAboveLimitTable(runs, report::RankedBy::Energy)};
    reading.whyNothing = QStringLiteral("Nothing was traced while the power was above it.");
    return reading;
}

Result<AskedReading> readEnergy(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress) {
    AskedReading reading;
    reading.places = tracedPlaces(stretch);
    std::vector<analysis::EnergyByPhase> runs;
    for (const std::size_t place : reading.places) {
        analysis::EnergyOptions options;
        options.windowOf = windowOf(stretch.runs[place], stretch.stretch);
        options.byKernel = true;
        ASSIGN_OR_RETURN(auto energy,
            analysis::energyByPhase(
                {store, stretch.catalogue->facts(place).run, progress}, options));
        runs.push_back(std::move(energy));
    }
    reading.tables = {report::tracedEnergyTable(runs)};
    reading.whyNothing = whyNothingOf(reading.tables.front().table);
    return reading;
}

Result<AskedReading> readMemory(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress) {
    std::vector<report::RunMemory> runs;
    const std::size_t count = std::min(stretch.runs.size(), stretch.catalogue->runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        const RunFacts facts = stretch.catalogue->facts(i);
        ASSIGN_OR_RETURN(auto devices, analysis::measuredMemoryOf({store, facts.run, progress}));
        if (!devices.empty())
            runs.push_back({facts.run.name, facts.run.range.begin, std::move(devices)});
    }
    AskedReading reading;
    reading.tables = {{report::memoryDevicesTable(runs), {}}, {report::memoryUsesTable(runs), {}},
        {report::memoryLiveTable(runs), {}}, {report::memoryStepsTable(runs), {}}};
    reading.whyNothing = QStringLiteral(
        "No memory of PyTorch's allocator was recorded: import its memory snapshots, or Kineto "
        "traces with profile_memory=True.");
    return reading;
}

Result<AskedReading> readWhatIf(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress) {
    AskedReading reading;
    reading.whyNothing = QStringLiteral("Select a kernel on the timeline.");
    const bool isOfKernel = stretch.span && stretch.span->span.kind == SpanKind::Kernel
        && stretch.span->run < stretch.catalogue->runs.size();
    if (!isOfKernel)
        return reading;
    const RunFacts facts = stretch.catalogue->facts(stretch.span->run);
    const analysis::RunStudy study(store, facts.run, progress);
    const std::string capture = captureOf(facts, *stretch.span);
    QStringList answers;
    std::string assumption;
    for (const char* factor : {"0.5x", "0x"}) {
        ASSIGN_OR_RETURN(const auto replay,
            analysis::replayOf(study,
                {capture, {}, false, {"kernel:" + stretch.span->name + '=' + factor}, false}));
        answers.append(whatIfText(answers.isEmpty() ? "half their time" : "no time", replay));
        assumption = replay.changes.back().assumption;
    }
    answers.append(textOf(assumption));
    reading.whyNothing = answers.join(QLatin1Char('\n'));
    return reading;
}

Result<std::vector<store::KeptSums>> sumRuns(const store::Store& store,
    const CataloguePtr& catalogue, const std::vector<RunId>& runs, const Progress& progress) {
    std::vector<store::KeptSums> made;
    for (std::size_t i = 0; i < catalogue->runs.size(); ++i) {
        const Run run = catalogue->facts(i).run;
        if (std::ranges::find(runs, run.id) == runs.end())
            continue;
        ASSIGN_OR_RETURN(auto sums, analysis::sumsToKeep({store, run, progress}));
        made.push_back(std::move(sums));
    }
    return made;
}

Result<std::optional<SpanTarget>> findLongest(const store::Store& store,
    const KernelStretch& stretch, analysis::SpanGroup group, std::size_t run,
    const std::string& name, const Progress& progress) {
    if (run >= std::min(stretch.runs.size(), stretch.catalogue->runs.size()))
        return std::optional<SpanTarget>();
    ASSIGN_OR_RETURN(
        const auto categories, KernelCategories::fromFolder(catalogue::configFolder()));
    ASSIGN_OR_RETURN(const auto found,
        analysis::longestSpan({store, stretch.catalogue->facts(run).run, progress},
            windowOf(stretch.runs[run], stretch.stretch), group, name, categories));
    if (!found)
        return std::optional<SpanTarget>();
    const DurationNs half{found->span.duration.ns / 2};
    return std::optional(SpanTarget{run, found->track, found->span.start + half, found->span.depth,
        SpanTarget::Step::Here, DurationNs{1}});
}

} // namespace trainscope::app
