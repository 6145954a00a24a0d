#include "app/viewmodels/figures/ReplayController.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/replay/SavedReplay.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/figures/Kinds.h"
#include "core/model/Try.h"

namespace trainscope::app {
namespace {

constexpr std::array kReplayPictures{std::pair{"replay", "Replay"},
    std::pair{"critical-path", "Critical path"}, std::pair{"waits", "Waits"}};

std::vector<std::string> changesOf(const ReplayPage& page) {
    std::vector<std::string> changes;
    for (const QString& change : page.changes.split(QLatin1Char(';'), Qt::SkipEmptyParts))
        changes.push_back(change.trimmed().toStdString());
    return changes;
}

Result<ReplayPage> readReplay(
    const analysis::RunStudies& studies, const Run& run, ReplayPage page) {
    ASSIGN_OR_RETURN(auto captures, studies.store.captures(run.id));
    page.captures.clear();
    for (const Capture& one : analysis::partsByCapture(std::move(captures)))
        page.captures.push_back(one.name);
    figures::Request request;
    request.runs = {run};
    if (!page.capture.empty())
        request.options.add("capture", page.capture);
    for (const std::string& change : changesOf(page))
        request.options.add("if", change);
    for (const auto& picture : kReplayPictures) {
        ASSIGN_OR_RETURN(
            auto figure, figures::load(*figures::findKind(picture.first), studies, request));
        page.figures.push_back(std::move(figure));
    }
    return page;
}

} // namespace

ReplayController::ReplayController(QObject* parent)
    : DrawnView(true, parent) { }

void ReplayController::load() {
    const Run* const run = leadingRun(workspace());
    if (run == nullptr) {
        endReading();
        return show(std::nullopt);
    }
    if (std::exchange(m_wanted.run, run->id) != run->id)
        m_wanted.capture.clear();
    const bool isShown = m_page && m_page->run == m_wanted.run
        && m_page->capture == m_wanted.capture && m_page->changes == m_wanted.changes;
    if (!isActive() || (isShown && !isLoading()))
        return;
    read<ReplayPage>(
        QStringLiteral("Replay"),
        [run = *run, page = m_wanted](const store::Store& store, const Progress& progress) {
            return readReplay({store, progress}, run, page);
        },
        [this](ReplayPage page) { show(std::move(page)); });
}

void ReplayController::show(std::optional<ReplayPage> page) {
    m_page = std::move(page);
    if (m_page)
        m_wanted.captures = m_page->captures;
    const auto titles = listOf(kReplayPictures, [](const auto& one) { return one.second; });
    std::vector<SettingRow> rows{
        choiceRow("picture", QStringLiteral("Picture"), titles, static_cast<int>(m_picture),
            QStringLiteral("The step, its critical path, or who keeps whom waiting"))};
    const QStringList captures = QStringList{QStringLiteral("All")} + listOf(m_wanted.captures);
    if (captures.size() > 2) // one is all
        rows.push_back(choiceRow("capture", QStringLiteral("Capture"), captures,
            std::max(0, static_cast<int>(captures.indexOf(textOf(m_wanted.capture)))),
            QStringLiteral("All that was traced, or one capture")));
    m_settings.setRows(std::move(rows));
    pictureChanged();
}

void ReplayController::choose(const QString& key, int choice) {
    const auto place = static_cast<std::size_t>(std::max(0, choice));
    if (key == QLatin1String("picture"))
        m_picture = std::min(place, kReplayPictures.size() - 1);
    else
        m_wanted.capture = place > 0 && place <= m_wanted.captures.size()
            ? m_wanted.captures[place - 1]
            : std::string();
    show(std::move(m_page));
    load();
}

void ReplayController::setChanges(const QString& changes) {
    if (changes == std::exchange(m_wanted.changes, changes))
        return;
    Q_EMIT changesChanged();
    load();
}

// The graph that is shown was kept, so that it is not read again.
void ReplayController::save(std::function<void(const ReplayPage& of, const Run& run)> show) {
    const Run* const run
        = m_page && workspace() != nullptr ? workspace()->findRun(m_page->run) : nullptr;
    if (run == nullptr || m_isSaving)
        return;
    const analysis::ReplayRequest request{m_page->capture, {}, false, changesOf(*m_page), false};
    const std::string name = analysis::savedReplayName(*run, request);
    m_isSaving = true;
    Q_EMIT stateChanged();
    workspace()->write(
        [run = *run, request, name](store::Store& store) -> Status {
            ASSIGN_OR_RETURN(const auto committed, store.another());
            const analysis::RunStudy study(committed, run);
            ASSIGN_OR_RETURN(const auto replay, analysis::replayOf(study, request));
            return analysis::saveReplay(store, study, request, replay, name);
        },
        [self = QPointer(this), this, of = ReplayPage{run->id, m_page->capture, {}}, name,
            uuid = workspace()->uuid(), show = std::move(show)](const Status& written) {
            if (!self)
                return;
            m_isSaving = false;
            Q_EMIT stateChanged();
            if (views() != nullptr && !written.hasValue())
                return views()->report(written.error());
            // Meanwhile it may have been closed.
            const bool isThere = workspace() != nullptr && workspace()->uuid() == uuid;
            if (const Run* saved = isThere ? workspace()->findRun(textOf(name)) : nullptr)
                show(of, *saved);
        });
}

void ReplayController::saveAsRun() {
    save([this](const ReplayPage&, const Run& saved) {
        workspace()->showBeside({saved.id});
        views()->inform(QStringLiteral("Saved as the run “%1”.").arg(textOf(saved.name)));
    });
}

void ReplayController::compareWithMeasured() {
    save([this](const ReplayPage& of, const Run& saved) {
        workspace()->showOnly({of.run, saved.id});
        views()->compare({of.run, {of.capture}});
    });
}

plot::SheetTexts ReplayController::texts() const {
    return m_page ? plot::SheetTexts{figure().title, figure().caption, {}, figure().emptyText}
                  : plot::SheetTexts();
}

} // namespace trainscope::app
