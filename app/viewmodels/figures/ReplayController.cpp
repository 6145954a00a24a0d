#include "app/viewmodels/figures/ReplayController.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/traces/CaptureWindows.h"
#include "core/figures/Kinds.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::app {
namespace {

constexpr std::array kReplayPictures{std::pair{"replay", "Replay"},
    std::pair{"critical-path", "Critical path"}, std::pair{"waits", "Waits"}};

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
    for (const QString& change : page.changes.split(QLatin1Char(';'), Qt::SkipEmptyParts))
        request.options.add("if", change.trimmed().toStdString());
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

bool ReplayController::isReady() const {
    return m_page && m_page->figures[m_picture].emptyText.empty();
}

plot::SheetTexts ReplayController::texts() const {
    return m_page ? plot::SheetTexts{figure().title, {}, {}, figure().emptyText}
                  : plot::SheetTexts();
}

ExportJob ReplayController::exportJob() const {
    return isReady() ? exportJobOf(textOf(figure().kind), figure()) : ExportJob();
}

} // namespace trainscope::app
