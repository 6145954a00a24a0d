#include "app/viewmodels/comparison/ComparisonController.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/plot/timeline/Timeline.h"

namespace trainscope::app {
namespace {

constexpr std::size_t kMostCaptures = 6; // a run by itself opens with these
const QString kSavedKey = QStringLiteral("saved");

// Numbers of iterations that all runs have.
std::vector<std::int64_t> commonIterations(const plot::ComparisonData& data) {
    std::vector<std::int64_t> common;
    for (std::size_t run = 0; run < data.measured.size(); ++run) {
        std::vector<std::int64_t> own;
        for (const auto& figures : data.measured[run]->iterations)
            own.push_back(figures.iteration.index);
        std::ranges::sort(own);
        std::vector<std::int64_t> both;
        std::set_intersection(
            common.begin(), common.end(), own.begin(), own.end(), std::back_inserter(both));
        common = run == 0 ? own : both;
    }
    return common;
}

} // namespace

ComparisonController::ComparisonController(QObject* parent)
    : DrawnView(true, parent) {
    connect(&m_library, &ComparisonLibrary::changed, this, &ComparisonController::savedChanged);
    connect(&m_library, &ComparisonLibrary::failed, this, [this](const Error& error) {
        if (views() != nullptr)
            views()->report(error);
    });
    connect(Theme::instance(), &Theme::changed, this, &ComparisonController::savedChanged);
    connect(this, &ComparisonController::runsChanged, this, &ComparisonController::listOffers);
    connect(this, &DatabaseView::viewsChanged, this, [this] {
        if (views() != nullptr)
            connect(views(), &Views::comparisonWanted, this, &ComparisonController::takeWanted,
                Qt::UniqueConnection);
    });
    refreshRows();
}

void ComparisonController::restore() {
    const QJsonObject json = savedSettings(Views::Compare);
    m_saved = json.value(kSavedKey).toString();
    take(decodeComparison(json));
    Q_EMIT savedChanged();
}

void ComparisonController::take(const ComparisonSettings& settings) {
    m_settings = settings;
    refreshRows();
    Q_EMIT settingsChanged();
    Q_EMIT runsChanged();
    Q_EMIT savedChanged();
    load();
    Q_EMIT repaintNeeded();
}

void ComparisonController::keep() {
    QJsonObject json = encodeComparison(m_settings);
    json.insert(kSavedKey, m_saved);
    saveSettings(Views::Compare, json);
}

void ComparisonController::refreshRows() {
    m_rows.setRows(comparisonSettings().rows(m_settings, m_offers));
    m_looks.setRows(boardLooks().rows(m_settings, m_offers));
}

void ComparisonController::choose(const QString& key, int choice) {
    const auto changed = comparisonSettings().with(m_settings, m_offers, key, choice);
    change(boardLooks().with(changed, m_offers, key, choice));
}

void ComparisonController::change(const ComparisonSettings& settings) {
    if (settings == m_settings)
        return;
    take(settings);
    keep();
}

void ComparisonController::forget() {
    m_data.reset();
    m_offers = {};
    m_captures.reset();
    forgetSelection();
    m_library.setWorkspace(workspace());
    pictureChanged();
    Q_EMIT runsChanged();
}

void ComparisonController::load() {
    if (isActive() && workspace() != nullptr && !m_captures)
        readCaptures();
    takeWanted();
    Q_EMIT runsChanged();
    Q_EMIT savedChanged();
    const auto runs = comparedRuns();
    if (runs.size() < 2) {
        endReading();
        nothingRead();
        return;
    }
    if (!isActive())
        return;
    if (m_offers.metrics.empty())
        askMetrics([this](Metrics metrics) {
            m_offers.metrics = std::move(metrics);
            refreshRows();
        });
    const auto query = queryOf(m_settings, runs);
    if (m_data && m_data->query == query) {
        // A reading under way is of settings that were taken back.
        if (isLoading())
            endReading();
        return;
    }
    read<plot::ComparisonData>(
        {},
        [query, before = m_data](const store::Store& store, const Progress& progress) {
            return figures::loadComparison({store, progress}, query, before.get());
        },
        [this](plot::ComparisonData data) { show(std::move(data)); });
}

void ComparisonController::readGrowth() {
    const auto runs = comparedRuns();
    if (!m_data || runs.size() < 2)
        return;
    readQuietly<plot::ComparisonData>(
        [query = queryOf(m_settings, runs)](const store::Store& store, const Progress& progress) {
            return figures::loadComparison({store, progress}, query);
        },
        [this, settings = m_settings](plot::ComparisonData data) {
            if (m_data && m_settings == settings)
                show(std::move(data));
        });
}

// The colours of the run list; further captures of a run have others that no run has.
void ComparisonController::colour(plot::ComparisonData& data) const {
    std::set<std::size_t> taken;
    for (const auto& shown : workspace()->shownRuns())
        taken.insert(shown.color);
    std::set<RunId> seen;
    for (auto& run : data.runs) {
        if (!seen.insert(run.named.id).second) {
            run.color = 0;
            while (!taken.insert(run.color).second)
                ++run.color;
            continue;
        }
        for (const auto& shown : workspace()->shownRuns()) {
            if (shown.id == run.named.id)
                run.color = shown.color;
        }
    }
}

void ComparisonController::show(plot::ComparisonData data) {
    colour(data);
    m_offers.iterations = commonIterations(data);
    m_offers.runs = data.runs.size();
    m_offers.quantities.clear();
    for (const auto& quantity : data.quantities)
        m_offers.quantities.push_back({quantity.info().key, quantity.axis.title});
    m_data = std::make_shared<const plot::ComparisonData>(std::move(data));
    refreshRows();
    Q_EMIT runsChanged();
    pictureChanged();
}

void ComparisonController::nothingRead() {
    m_data.reset();
    pictureChanged();
}

plot::SheetTexts ComparisonController::texts() const {
    plot::SheetTexts texts = textsOf(m_data);
    texts.title = m_data && m_data->verdict ? m_data->verdict->headline : std::string();
    if (workspace() == nullptr || !m_captures)
        return texts; // a run of several captures is compared by itself
    const bool isAlone = workspace()->runs().size() == 1;
    const auto shown = comparedRuns().size();
    if (isAlone && shown < 2)
        texts.emptyText = hasCaptures()
            ? "There is one run with one capture. Import another run or a further capture of this "
              "one to compare them."
            : "There is one run only. Import another one to compare them.";
    else if (shown < 2)
        texts.emptyText = shown == 0
            ? "Choose two runs on the left: click one, Ctrl+click the other."
            : "Choose a second run on the left with Ctrl+click.";
    return texts;
}

QString ComparisonController::text() const {
    QStringList lines;
    if (!isReady())
        return {};
    for (const auto& run : m_data->runs)
        lines.append(
            QString::fromStdString(run.mark + ": " + run.named.name + ", " + run.named.cluster));
    if (m_data->verdict) {
        lines.append(QString::fromStdString(m_data->verdict->headline));
        for (const auto& statement : m_data->verdict->statements)
            lines.append(QStringLiteral("- ") + QString::fromStdString(statement));
    }
    for (const auto& quantity : m_data->quantities) {
        for (std::size_t run = 1; quantity.isCard && run < m_data->runs.size(); ++run)
            lines.append(QString::fromStdString(quantity.axis.title + ", " + m_data->runs[run].mark
                + " to " + m_data->runs[0].mark + ": " + plot::changeText(quantity.changes[run])
                + " " + plot::weightText(*m_data, quantity, run)));
    }
    return lines.join(QLatin1Char('\n'));
}

figures::Figure ComparisonController::figure() const {
    return figures::comparisonFigure(
        m_data, {m_settings.panels, m_settings.stacked, m_settings.perStage});
}

void ComparisonController::laidOut() {
    if (!m_wantedScroll)
        return;
    m_scroll = *std::exchange(m_wantedScroll, std::nullopt);
    // Scrolls once the window knows its height too.
    QMetaObject::invokeMethod(this, &ComparisonController::scrollWanted, Qt::QueuedConnection);
}

ExportJob ComparisonController::exportJob() const {
    if (!isReady())
        return {};
    auto job = exportJobOf(QStringLiteral("comparison"), figure());
    if (!m_saved.isEmpty())
        job.name = QString::fromStdString(
            figures::fileNameOf("comparison-" + m_saved.toStdString(), {}));
    const auto& chosen = m_settings.panels;
    for (const plot::ComparisonPanel panel : plot::shownPanels(*m_data, {})) {
        const bool isShown = chosen.empty() || std::ranges::find(chosen, panel) != chosen.end();
        job.parts.push_back({QString::fromUtf8(toString(panel).data(),
                                 static_cast<qsizetype>(toString(panel).size())),
            QString::fromStdString(plot::textsOf(*m_data, panel).title), isShown});
    }
    job.figure = [data = m_data, settings = m_settings](
                     const figures::Request& request, const Progress&) -> Result<figures::Figure> {
        plot::BoardChoice choice{settings.panels, settings.stacked, settings.perStage};
        if (request.options.has("panels"))
            choice.panels.clear();
        for (const auto& name : request.options.all("panels")) {
            if (const auto panel = fromString<plot::ComparisonPanel>(name))
                choice.panels.push_back(*panel);
        }
        return figures::comparisonFigure(data, std::move(choice));
    };
    return job;
}

// A run that the settings do not name, or no longer rightly, is compared as a whole.
ComparisonController::Compared ComparisonController::comparedRuns() const {
    Compared runs;
    const auto chosen = workspace() == nullptr ? std::vector<Run>() : workspace()->chosenRuns();
    std::set<RunId> named;
    for (const auto& name : m_settings.runs) {
        const auto run = std::ranges::find(chosen, name.run, &Run::name);
        if (run == chosen.end() || !hasCapture(run->id, name.capture))
            continue;
        named.insert(run->id);
        runs.push_back({*run, {false, name.capture}});
    }
    for (const Run& run : chosen) {
        if (!named.contains(run.id))
            runs.push_back({run, {}});
    }
    // One by itself is no comparison: its captures stand beside each other.
    const auto own = runs.size() == 1 && m_captures ? m_captures->find(runs.front().run.id)
                                                    : Captures::const_iterator();
    if (runs.size() != 1 || !m_captures || own == m_captures->end() || own->second.size() < 2)
        return runs;
    const Run run = runs.front().run;
    runs.clear();
    for (const std::string& capture : own->second) {
        if (runs.size() < kMostCaptures)
            runs.push_back({run, {false, capture}});
    }
    return runs;
}

// A board that is sorted has the runs in another order than the list.
ComparisonController::Compared ComparisonController::orderedRuns() const {
    auto runs = comparedRuns();
    if (m_settings.query.sortedBy.empty() || !m_data || m_data->runs.size() != runs.size())
        return runs;
    const auto placeOf = [this](const analysis::ComparedRun& run) {
        return std::ranges::find_if(m_data->runs, [&run](const auto& other) {
            return other.named.id == run.run.id && other.capture == run.scope.capture;
        }) - m_data->runs.begin();
    };
    std::ranges::stable_sort(
        runs, [&](const auto& a, const auto& b) { return placeOf(a) < placeOf(b); });
    return runs;
}

QStringList ComparisonController::runLabels() const {
    QStringList labels;
    for (const auto& run : orderedRuns())
        labels.append(QStringLiteral("%1 · %2").arg(
            QString::fromStdString(analysis::runMark(static_cast<std::size_t>(labels.size()))),
            QString::fromStdString(analysis::partName(run.run.name, run.scope.capture))));
    return labels;
}

void ComparisonController::listRuns(const Compared& runs, std::string sortedBy) {
    ComparisonSettings changed = m_settings;
    changed.query.sortedBy = std::move(sortedBy);
    changed.runs.clear();
    for (const auto& run : runs)
        changed.runs.push_back(comparedName(run));
    change(changed);
}

void ComparisonController::makeFirst(int run) {
    auto runs = orderedRuns();
    if (run < 0 || run >= static_cast<int>(runs.size()))
        return;
    std::rotate(runs.begin(), runs.begin() + run, runs.begin() + run + 1);
    listRuns(runs, m_settings.query.sortedBy);
}

void ComparisonController::showRunsOf(const Compared& runs) {
    auto wanted = workspace()->shownIds();
    const auto isOf = [](RunId id) {
        return [id](const analysis::ComparedRun& one) { return one.run.id == id; };
    };
    std::erase_if(wanted, [&](RunId id) { return std::ranges::none_of(runs, isOf(id)); });
    for (const auto& one : runs) {
        if (std::ranges::find(wanted, one.run.id) == wanted.end())
            wanted.push_back(one.run.id);
    }
    views()->workspace()->setShown(wanted);
}

void ComparisonController::readCaptures() {
    m_capturesTask.ask(
        workspace()->readers(),
        [](const store::Store& store, const TaskStage<Captures>&) -> Result<Captures> {
            Captures all;
            ASSIGN_OR_RETURN(const auto runs, store.runs());
            for (const Run& run : runs) {
                ASSIGN_OR_RETURN(auto captures, store.captures(run.id));
                for (Capture& one : analysis::partsByCapture(std::move(captures)))
                    all[run.id].push_back(std::move(one.name));
            }
            return all;
        },
        [this](const Result<Captures>& captures) {
            // An error is told by the reading of the comparison, which meets it too.
            m_captures = captures.valueOr({});
            load();
            Q_EMIT stateChanged();
        });
}

// Until they are known, what was chosen is taken to be there.
bool ComparisonController::hasCapture(RunId run, const std::string& capture) const {
    if (capture.empty() || !m_captures)
        return true;
    const auto own = m_captures->find(run);
    return own != m_captures->end() && std::ranges::find(own->second, capture) != own->second.end();
}

bool ComparisonController::hasCaptures() const {
    if (workspace() == nullptr || !m_captures)
        return false;
    const auto& shown = workspace()->shownRuns();
    return std::ranges::any_of(
        shown, [this](const plot::ShownRun& run) { return m_captures->contains(run.id); });
}

// The runs that are shown, and others that have captures.
void ComparisonController::listOffers() {
    if (workspace() == nullptr)
        return m_offered.setRows({});
    const auto compared = orderedRuns();
    std::vector<Offer> all;
    const auto add = [&](const Run& run, const std::string& capture) {
        const auto found = std::ranges::find_if(compared,
            [&](const auto& one) { return one.run.id == run.id && one.scope.capture == capture; });
        const int place = found == compared.end() ? -1 : static_cast<int>(found - compared.begin());
        all.push_back({run.id, textOf(capture.empty() ? run.name : capture), capture, place});
    };
    const auto shown = workspace()->shownIds();
    for (const Run& run : workspace()->runs()) {
        const bool isCaptured = m_captures && m_captures->contains(run.id);
        if (isCaptured || std::ranges::find(shown, run.id) != shown.end())
            add(run, {});
        if (!isCaptured)
            continue;
        for (const std::string& capture : m_captures->at(run.id))
            add(run, capture);
    }
    m_offered.setRows(std::move(all));
}

void ComparisonController::toggleOffer(int offer) {
    if (!m_offered.isThere(offer))
        return;
    const Offer chosen = m_offered.rows()[static_cast<std::size_t>(offer)];
    auto runs = orderedRuns();
    const auto count = runs.size();
    std::erase_if(runs, [&chosen](const auto& one) {
        return one.run.id == chosen.run && one.scope.capture == chosen.capture;
    });
    const bool isOut = runs.size() < count;
    if (isOut && runs.empty())
        return; // the last one stays
    if (!isOut)
        runs.push_back({*workspace()->findRun(chosen.run), {false, chosen.capture}});
    listRuns(runs, m_settings.query.sortedBy);
    showRunsOf(runs);
}

// Captures that the timeline asked to see side by side; a single one, or the whole of the run (no
// name), beside the other runs that are shown.
void ComparisonController::takeWanted() {
    if (workspace() == nullptr || !isActive())
        return;
    const auto wanted = views()->takeToCompare();
    const Run* run = wanted ? workspace()->findRun(wanted->run) : nullptr;
    if (run == nullptr)
        return;
    Compared runs;
    for (const std::string& capture : wanted->captures)
        runs.push_back({*run, {false, capture}});
    for (const Run& other : workspace()->chosenRuns()) {
        if (wanted->captures.size() == 1 && other.id != run->id)
            runs.push_back({other, {}});
    }
    listRuns(runs, {});
    showRunsOf(runs);
}

double ComparisonController::movedSeconds(int run) const {
    const auto runs = orderedRuns();
    if (run < 0 || run >= static_cast<int>(runs.size()))
        return 0.0;
    const auto moved = m_settings.moved.find(comparedName(runs[static_cast<std::size_t>(run)]));
    return moved == m_settings.moved.end() ? 0.0 : moved->second.seconds();
}

void ComparisonController::moveBySeconds(int run, double seconds) {
    const auto runs = orderedRuns();
    const bool usable = std::abs(seconds) < 1e6; // also refuses NaN
    if (run < 0 || run >= static_cast<int>(runs.size()) || !usable)
        return;
    ComparisonSettings changed = m_settings;
    const ComparedName name = comparedName(runs[static_cast<std::size_t>(run)]);
    changed.moved[name] = DurationNs{std::llround(seconds * 1e9)};
    if (changed.moved[name].ns == 0)
        changed.moved.erase(name);
    change(changed);
}

ComparisonSettings ComparisonController::current() const {
    ComparisonSettings settings = m_settings;
    settings.runs.clear();
    for (const auto& run : comparedRuns())
        settings.runs.push_back(comparedName(run));
    std::erase_if(settings.moved, [&settings](const auto& moved) {
        return std::ranges::find(settings.runs, moved.first) == settings.runs.end();
    });
    // Like the system is no choice to keep.
    const auto* theme = Theme::instance();
    if (theme->preference() == Theme::Preference::System)
        settings.theme.clear();
    else
        settings.theme = theme->preferenceKey();
    settings.scroll = m_scroll;
    return settings;
}

// Scrolling alone is no change.
bool ComparisonController::isModified() const {
    const SavedComparison* saved = m_library.find(m_saved);
    if (saved == nullptr)
        return false;
    ComparisonSettings shown = current();
    shown.scroll = saved->settings.scroll;
    return !(saved->settings == shown);
}

void ComparisonController::setSaved(const QString& name) {
    m_saved = name;
    keep();
    Q_EMIT savedChanged();
}

// Shows the part of it that is still there, and says what became of the rest.
void ComparisonController::openSaved(const QString& name) {
    const auto* open = workspace();
    const SavedComparison* saved = m_library.find(name);
    if (open == nullptr || saved == nullptr)
        return;
    std::function<void()> back; // to what was not saved
    if (isModified()) {
        std::vector<RunId> runs;
        for (const auto& run : comparedRuns())
            runs.push_back(run.run.id);
        back = [this, own = m_saved, settings = current(), runs] { show(own, settings, runs); };
    }
    std::vector<RunId> shown;
    for (const auto& run : saved->runs)
        shown.push_back(run.run.id);
    QStringList notes = listOf(saved->notes);
    if (back)
        notes.prepend(QStringLiteral("The changes to \"%1\" were not saved.").arg(m_saved));
    show(name, ComparisonSettings(saved->settings), shown);
    if (back)
        views()->offerUndo(notes.join(QLatin1Char(' ')), this, back);
    else if (!notes.isEmpty())
        views()->inform(notes.join(QLatin1Char(' ')));
}

void ComparisonController::show(
    const QString& name, const ComparisonSettings& settings, const std::vector<RunId>& runs) {
    m_saved = name;
    Theme::instance()->setPreference(Theme::preferenceOf(settings.theme));
    m_settings = settings;
    m_wantedScroll = settings.scroll;
    keep();
    // Reads, with the settings already in place.
    views()->workspace()->setShown(runs);
    take(settings);
}

void ComparisonController::save() {
    if (m_library.contains(m_saved))
        m_library.save(m_saved, current(), [this, name = m_saved] { setSaved(name); });
}

void ComparisonController::saveAs(const QString& name) {
    const QString wanted = name.trimmed();
    if (!wanted.isEmpty() && !comparedRuns().empty())
        m_library.save(wanted, current(), [this, wanted] { setSaved(wanted); });
}

void ComparisonController::renameSaved(const QString& name) {
    const QString wanted = name.trimmed();
    if (!wanted.isEmpty() && wanted != m_saved && m_library.contains(m_saved))
        m_library.rename(m_saved, wanted, [this, from = m_saved, wanted] {
            if (from == m_saved)
                setSaved(wanted);
        });
}

void ComparisonController::removeSaved() {
    m_library.remove(m_saved, [this](const SavedComparison& gone) {
        const QString name = QString::fromStdString(gone.name);
        if (name == m_saved)
            setSaved({});
        views()->offerUndo(QStringLiteral("The comparison “%1” was removed.").arg(name), this,
            [this, gone, name] { m_library.putBack(gone, [this, name] { setSaved(name); }); });
    });
}

} // namespace trainscope::app
