// The part of ComparisonController that keeps comparisons by name.
#include "app/viewmodels/comparison/ComparisonController.h"
#include "app/viewmodels/window/Theme.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

ComparisonSettings ComparisonController::current() const {
    ComparisonSettings settings = m_settings;
    settings.runs.clear();
    for (const auto& run : comparedRuns())
        settings.runs.push_back(comparedName(run));
    std::erase_if(settings.moved, [&settings](const auto& moved) {
        return std::find(settings.runs.begin(), settings.runs.end(), moved.first)
            == settings.runs.end();
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
    QStringList notes;
    for (const auto& note : saved->notes)
        notes.append(QString::fromStdString(note));
    if (back)
        notes.prepend(QStringLiteral("What was changed in \"%1\" was not saved.").arg(m_saved));
    dismissNotice();
    show(name, ComparisonSettings(saved->settings), shown);
    if (!notes.isEmpty())
        showNotice(notes.join(QLatin1Char(' ')), back);
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
        m_library.save(m_saved, current());
}

void ComparisonController::saveAs(const QString& name) {
    const QString wanted = name.trimmed();
    if (!wanted.isEmpty() && !comparedRuns().empty())
        m_library.save(wanted, current());
}

bool ComparisonController::isTaken(const QString& name) const {
    return m_library.contains(name.trimmed());
}

void ComparisonController::renameSaved(const QString& name) {
    const QString wanted = name.trimmed();
    if (!wanted.isEmpty() && wanted != m_saved && m_library.contains(m_saved))
        m_library.rename(m_saved, wanted);
}

void ComparisonController::removeSaved() {
    if (m_library.contains(m_saved))
        m_library.remove(m_saved);
}

void ComparisonController::showNotice(const QString& text, std::function<void()> action) {
    m_notice = text;
    m_noticeAction = std::move(action);
    Q_EMIT noticeChanged();
}

QString ComparisonController::noticeAction() const {
    return m_noticeAction ? QStringLiteral("Undo") : QString();
}

void ComparisonController::runNoticeAction() {
    const auto action = std::exchange(m_noticeAction, {});
    dismissNotice();
    if (action)
        action();
}

void ComparisonController::dismissNotice() {
    showNotice({});
}

} // namespace trainscope::app
