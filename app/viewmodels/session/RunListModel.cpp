#include "app/viewmodels/session/RunListModel.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/analysis/statistics/SeriesSelection.h"

namespace trainscope::app {
namespace {

// Half as many columns as samples, so that slow sensors leave no holes in the curve.
int curveColumns(const std::vector<Series>& powers, int most) {
    std::int64_t samples = 0;
    for (const auto& one : powers)
        samples = std::max(samples, one.count);
    return static_cast<int>(std::clamp<std::int64_t>(samples / 2, 2, most));
}

QString nameOf(const RunListRow& row) {
    return QString::fromStdString(row->run.name);
}

// State of a head: 0 none of its runs is shown, 1 some, 2 all.
int membersState(const RunListRow& row) {
    return row->membersShown == 0 ? 0 : row->membersShown < row->members ? 1 : 2;
}

QString membersText(const RunListRow& row) {
    return row->membersShown == 0
        ? QString::number(row->members)
        : QStringLiteral("%1 of %2").arg(row->membersShown).arg(row->members);
}

QString tipOf(const RunListRow& row) {
    if (row->isHead)
        return row->folder;
    return QStringList{nameOf(row), runDetail(row->run), row->tags.join(QStringLiteral(", "))}.join(
        QLatin1Char('\n'));
}

constexpr double kRoomOfName = 196.0; // px: the list's width without marks and margins
constexpr double kRoomOfFolder = 168.0;

std::vector<std::string> fittedTo(double room, const std::vector<std::string>& names) {
    return text::fittedNames(names, [room](std::string_view one) {
        return widestOf({textOf(one)}, Theme::instance()->bodySize()) <= room;
    });
}

// Runs that no file or folder was imported for.
QString titleWithoutFolder(const std::vector<const Run*>& runs) {
    const auto all = [&runs](const auto& is) { return std::ranges::all_of(runs, is); };
    if (all([](const Run* run) { return run->kind == RunKind::Predicted; }))
        return QStringLiteral("Predicted");
    return all([](const Run* run) { return run->simulated; }) ? QStringLiteral("Sample")
                                                              : QStringLiteral("Not from files");
}

// The runs of each folder, the folders in natural order.
std::vector<std::pair<std::string, std::vector<const Run*>>> byFolder(const Workspace& workspace) {
    const auto before = [](const std::string& a, const std::string& b) {
        const auto order = text::naturalOrder(a, b);
        return order != 0 ? order < 0 : a < b;
    };
    std::map<std::string, std::vector<const Run*>, decltype(before)> folders(before);
    for (const Run& run : workspace.runs())
        folders[workspace.folder(run.id)].push_back(&run);
    return {folders.begin(), folders.end()};
}

} // namespace

QList<double> powerCurve(const store::Store& store, const Run& run, int mostColumns,
    const std::function<bool()>& isCancelled) {
    const auto all = store.series(run.id);
    if (!all.hasValue() || run.range.isEmpty())
        return {};
    const auto powers
        = analysis::gpuSeriesOf(analysis::gpuSeriesByRank(all.value()), metric::kGpuPower);
    const int columns = curveColumns(powers, mostColumns);
    std::vector<double> sums(static_cast<std::size_t>(columns), 0.0);
    std::vector<int> counts(static_cast<std::size_t>(columns), 0);
    for (const auto& one : powers) {
        if (isCancelled())
            return {};
        const auto buckets = store.buckets(one.id, run.range, columns);
        if (!buckets.hasValue())
            return {};
        for (std::size_t i = 0; i < buckets.value().size() && i < sums.size(); ++i) {
            if (buckets.value()[i].count == 0)
                continue;
            sums[i] += static_cast<double>(buckets.value()[i].mean);
            ++counts[i];
        }
    }
    QList<double> curve;
    double highest = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double mean
            = counts[i] > 0 ? sums[i] / counts[i] : std::numeric_limits<double>::quiet_NaN();
        highest = std::max(highest, counts[i] > 0 ? mean : 0.0);
        curve.append(mean);
    }
    if (highest <= 0.0)
        return {};
    for (auto& value : curve)
        value /= highest;
    return curve;
}

RunListModel::RunListModel(QObject* parent)
    : RowListModel(
        {{"label", [](const RunListRow& row) { return row->label; }}, {"name", nameOf},
            {"whole", [](const RunListRow& row) { return row->whole; }},
            {"head", [](const RunListRow& row) { return row->isHead; }},
            {"detail", [](const RunListRow& row) { return runDetail(row->run); }},
            {"tags", [](const RunListRow& row) { return row->tags; }},
            {"strongTag", [](const RunListRow& row) { return strongTag(row->run); }},
            {"shown", [](const RunListRow& row) { return row->colorIndex >= 0; }},
            {"colorIndex", [](const RunListRow& row) { return row->colorIndex; }},
            {"curve", [](const RunListRow& row) { return row->curve; }},
            {"description", [](const RunListRow& row) { return row->description; }},
            {"folder", [](const RunListRow& row) { return row->folder; }}, {"tip", tipOf},
            {"folded", [](const RunListRow& row) { return row->folded; }},
            {"membersState", membersState}, {"membersText", membersText}},
        parent) { }

void RunListModel::setWorkspace(Workspace* workspace) {
    if (workspace == m_workspace)
        return;
    if (m_workspace)
        m_workspace->disconnect(this);
    m_workspace = workspace;
    if (m_workspace) {
        connect(m_workspace, &Workspace::runsChanged, this, &RunListModel::runsChanged);
        connect(m_workspace, &Workspace::shownRunsChanged, this, &RunListModel::shownChanged);
        connect(m_workspace, &Workspace::labelsChanged, this, &RunListModel::describeAgain);
        connect(m_workspace, &Workspace::runsGrew, this, &RunListModel::takeGrowth);
        connect(m_workspace, &Workspace::figuresAged, this, &RunListModel::readCurves);
    }
    runsChanged();
    Q_EMIT workspaceChanged();
}

void RunListModel::runsChanged() {
    m_curveTask.cancel();
    std::set<QString> folded;
    for (const RunListRow& head : m_heads) {
        if (head->folded)
            folded.insert(head->folder);
    }
    resetRows({});
    m_rangeBegin.reset();
    makeEntries();
    for (const RunListRow& head : m_heads)
        head->folded = folded.contains(head->folder);
    describeRuns();
    // Choices stay while the database does.
    const std::string uuid = m_workspace ? m_workspace->uuid() : std::string();
    if (std::exchange(m_uuid, uuid) != uuid)
        setDense(m_runs.size() >= kManyRuns);
    shownChanged();
    refreshRows();
    readCurves();
}

void RunListModel::makeEntries() {
    m_entries.clear();
    m_heads.clear();
    m_runs.clear();
    if (!m_workspace)
        return;
    const auto folders = byFolder(*m_workspace);
    std::vector<std::string> paths;
    for (const auto& [folder, runs] : folders) {
        if (!folder.empty())
            paths.push_back(folder);
    }
    auto titles = fittedTo(kRoomOfFolder, text::tellingNames(paths));
    auto title = titles.begin();
    for (const auto& [folder, runs] : folders) {
        const std::size_t group = m_heads.size();
        if (folders.size() > 1) {
            auto head = std::make_shared<RunListEntry>();
            head->isHead = true;
            head->folder = QString::fromStdString(folder);
            head->label = folder.empty() ? titleWithoutFolder(runs) : textOf(*title++);
            m_heads.push_back(head);
            m_entries.push_back(head);
        }
        std::vector<text::Named> names;
        for (const Run* run : runs)
            names.push_back(namedRun(*run));
        const auto labels
            = fittedTo(Theme::instance()->grown(kRoomOfName), text::tellingNames(names));
        const auto whole = text::toldApart(names);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            auto entry = std::make_shared<RunListEntry>();
            entry->run = *runs[i];
            entry->label = textOf(labels[i]);
            entry->whole = textOf(whole[i]);
            m_runs.push_back(entry);
            m_entries.push_back(entry);
        }
        for (std::size_t i = m_entries.size() - runs.size(); i < m_entries.size(); ++i)
            m_entries[i]->group = group;
        if (!m_heads.empty())
            m_heads.back()->group = group;
    }
    for (std::size_t i = 0; i < m_entries.size(); ++i)
        m_entries[i]->place = i;
    Q_EMIT foldedChanged();
}

void RunListModel::describeRuns() {
    for (const RunListRow& entry : m_runs) {
        const auto labels = m_workspace->labels(entry->run.id);
        const QString note = QString::fromStdString(labels.note);
        const QStringList own = listOf(labels.tags);
        entry->tags = runTags(entry->run) + own;
        QStringList parts{runDescription(entry->run)};
        if (!own.isEmpty())
            parts.append(own.join(QStringLiteral(", ")));
        if (!note.isEmpty())
            parts.append(note);
        entry->description = parts.join(QStringLiteral(". "));
        entry->search = runSearchText(entry->run) + QLatin1Char(' ')
            + (own.join(QLatin1Char(' ')) + QLatin1Char(' ') + note).toLower();
    }
}

void RunListModel::describeAgain() {
    describeRuns();
    refreshRows();
    for (int row = 0; row < count(); ++row)
        rowChanged(row);
}

void RunListModel::takeGrowth() {
    for (const RunListRow& entry : m_runs) {
        if (const Run* run = m_workspace->findRun(entry->run.id))
            entry->run = *run;
    }
    describeAgain();
}

void RunListModel::setFilter(const QString& filter) {
    if (filter == std::exchange(m_filter, filter))
        return;
    m_words = filter.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    refreshRows();
    Q_EMIT filterChanged();
}

bool RunListModel::matches(const RunListEntry& run) const {
    return std::ranges::all_of(
        m_words, [&run](const QString& word) { return run.search.contains(word); });
}

// Runs that a filter finds are seen in folded groups, too.
bool RunListModel::isVisible(const RunListEntry& entry) const {
    if (entry.isHead)
        return entry.members > 0;
    const bool isFolded = !m_heads.empty() && m_words.isEmpty() && m_heads[entry.group]->folded;
    return !isFolded && matches(entry);
}

void RunListModel::countMembers() {
    for (const RunListRow& head : m_heads)
        head->members = head->membersShown = 0;
    if (!m_heads.empty()) {
        for (const RunListRow& run : m_runs) {
            if (!matches(*run))
                continue;
            ++m_heads[run->group]->members;
            m_heads[run->group]->membersShown += run->colorIndex >= 0 ? 1 : 0;
        }
    }
    for (int row = 0; row < count(); ++row) {
        if (rows()[static_cast<std::size_t>(row)]->isHead)
            rowChanged(row);
    }
    Q_EMIT countTextChanged();
}

void RunListModel::refreshRows() {
    countMembers();
    std::size_t row = 0;
    for (const RunListRow& entry : m_entries) {
        const bool isThere = row < rows().size() && rows()[row] == entry;
        const bool isWanted = isVisible(*entry);
        if (isThere && !isWanted)
            eraseRows(static_cast<int>(row));
        else if (!isThere && isWanted)
            addRows(static_cast<int>(row), {entry});
        row += isWanted ? 1 : 0;
    }
}

void RunListModel::shownChanged() {
    std::map<RunId, int> colors;
    if (m_workspace) {
        for (const auto& shown : m_workspace->shownRuns())
            colors[shown.id] = static_cast<int>(shown.color);
    }
    for (const RunListRow& run : m_runs) {
        const auto color = colors.find(run->run.id);
        run->colorIndex = color == colors.end() ? -1 : color->second;
    }
    if (count() > 0)
        Q_EMIT dataChanged(index(0), index(count() - 1));
    countMembers();
}

QString RunListModel::countText() const {
    const auto all = static_cast<int>(m_runs.size());
    const auto left = static_cast<int>(
        std::ranges::count_if(m_runs, [this](const RunListRow& run) { return matches(*run); }));
    const auto shown = static_cast<int>(
        std::ranges::count_if(m_runs, [](const RunListRow& run) { return run->colorIndex >= 0; }));
    const QString runs = left != all ? QStringLiteral("%1 of %2 runs").arg(left).arg(all)
                                     : countedText(all, "run");
    return shown > 1 ? QStringLiteral("%1 · %2 shown").arg(runs).arg(shown) : runs;
}

void RunListModel::setDense(bool dense) {
    if (dense == std::exchange(m_isDense, dense))
        return;
    Q_EMIT denseChanged();
    readCurves();
}

const RunListEntry* RunListModel::entryAt(int row) const {
    return isThere(row) ? rows()[static_cast<std::size_t>(row)].get() : nullptr;
}

bool RunListModel::isHead(int row) const {
    const auto* entry = entryAt(row);
    return entry != nullptr && entry->isHead;
}

QString RunListModel::nameAt(int row) const {
    const auto* entry = entryAt(row);
    return entry == nullptr ? QString() : QString::fromStdString(entry->run.name);
}

void RunListModel::readCurves() {
    m_curveTask.cancel();
    if (!m_workspace || !m_workspace->isOpen() || m_isDense)
        return;
    std::vector<Run> runs;
    for (const RunListRow& entry : m_runs) {
        if (entry->curveRange != entry->run.range)
            runs.push_back(entry->run);
    }
    const auto job = [runs](const store::Store& store, const TaskStage<Curve>& stage) {
        for (const auto& run : runs) {
            if (stage.isCancelled())
                return;
            stage.publish(Curve{
                run.id, run.range, powerCurve(store, run, kCurveColumns, stage.cancelCheck())});
        }
    };
    m_curveTask.start(m_workspace->readers(), job, [this](Result<Curve> curve) {
        // A curve is an ornament: what cannot be read shows none, and the view says why.
        if (!curve.hasValue())
            return;
        const auto own = std::ranges::find_if(
            m_runs, [&curve](const RunListRow& run) { return run->run.id == curve.value().run; });
        if (own == m_runs.end())
            return;
        (*own)->curveRange = curve.value().range;
        if (curve.value().values.isEmpty())
            return;
        (*own)->curve = std::move(curve).value().values;
        const auto row = std::ranges::find(rows(), *own);
        if (row != rows().end())
            rowChanged(static_cast<int>(row - rows().begin()));
    });
}

void RunListModel::addRunsOf(const RunListEntry& entry, std::vector<RunId>& runs) const {
    if (!entry.isHead)
        return runs.push_back(entry.run.id);
    for (const RunListRow& run : m_runs) {
        if (run->group == entry.group && matches(*run))
            runs.push_back(run->run.id);
    }
}

std::optional<std::vector<RunId>> RunListModel::beginRangeAt(int row) {
    const auto* entry = entryAt(row);
    if (entry == nullptr)
        return std::nullopt;
    m_rangeBegin = rows()[static_cast<std::size_t>(row)];
    std::vector<RunId> runs;
    addRunsOf(*entry, runs);
    return runs;
}

void RunListModel::showOnly(int row) {
    if (const auto runs = beginRangeAt(row))
        m_workspace->showOnly(*runs);
}

void RunListModel::toggle(int row) {
    if (const auto runs = beginRangeAt(row))
        m_workspace->toggleShown(*runs);
}

void RunListModel::showRange(int row, bool besideOthers) {
    if (entryAt(row) == nullptr)
        return;
    const auto begin = std::ranges::find(rows(), m_rangeBegin);
    const auto from = begin == rows().end() ? row : static_cast<int>(begin - rows().begin());
    std::vector<RunId> runs;
    const auto [first, last] = std::minmax(from, row);
    for (int at = first; at <= last; ++at) {
        const auto* entry = entryAt(at);
        // The runs of an open group stand below its head.
        if (!entry->isHead || entry->folded)
            addRunsOf(*entry, runs);
    }
    if (besideOthers)
        m_workspace->showBeside(runs);
    else
        m_workspace->showOnly(runs);
}

void RunListModel::beginRange(int row) {
    if (isThere(row))
        m_rangeBegin = rows()[static_cast<std::size_t>(row)];
}

void RunListModel::showAll() {
    if (!m_workspace)
        return;
    std::vector<RunId> runs;
    for (const RunListRow& run : m_runs) {
        if (matches(*run))
            runs.push_back(run->run.id);
    }
    m_workspace->showOnly(runs);
}

int RunListModel::headOf(int row) const {
    const auto* entry = entryAt(row);
    if (entry == nullptr || m_heads.empty())
        return -1;
    const auto head = std::ranges::find(rows(), m_heads[entry->group]);
    return head == rows().end() ? -1 : static_cast<int>(head - rows().begin());
}

void RunListModel::setFolded(int row, bool folded) {
    const int head = headOf(row);
    if (head < 0 || rows()[static_cast<std::size_t>(head)]->folded == folded)
        return;
    rows()[static_cast<std::size_t>(head)]->folded = folded;
    refreshRows();
    Q_EMIT foldedChanged();
}

void RunListModel::toggleFolded(int row) {
    if (const auto* entry = entryAt(row); entry != nullptr && entry->isHead)
        setFolded(row, !entry->folded);
}

void RunListModel::foldAll(bool folded) {
    for (const RunListRow& head : m_heads)
        head->folded = folded;
    refreshRows();
    Q_EMIT foldedChanged();
}

bool RunListModel::areAllFolded() const {
    return std::ranges::all_of(m_heads, [](const RunListRow& head) { return head->folded; });
}

} // namespace trainscope::app
