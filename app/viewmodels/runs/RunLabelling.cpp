#include "app/viewmodels/runs/RunLabelling.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

std::vector<std::string> tagsFrom(const QString& text) {
    std::vector<std::string> tags;
    for (const QString& part : text.split(QLatin1Char(','))) {
        if (const QString tag = part.simplified(); !tag.isEmpty())
            tags.push_back(tag.toStdString());
    }
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
    return tags;
}

void RunLabelling::setWorkspace(Workspace* workspace) {
    m_workspace = workspace;
    m_done.clear();
    m_undone.clear();
    Q_EMIT changed();
}

void RunLabelling::setTags(RunId run, const QString& text) {
    if (!m_workspace)
        return;
    auto labels = m_workspace->labels(run);
    labels.tags = tagsFrom(text);
    change({std::move(labels)});
}

void RunLabelling::setNote(RunId run, const QString& text) {
    if (!m_workspace)
        return;
    auto labels = m_workspace->labels(run);
    labels.note = text.trimmed().toStdString();
    change({std::move(labels)});
}

void RunLabelling::addTags(const std::vector<RunId>& runs, const QString& text) {
    if (!m_workspace)
        return;
    Labels after;
    for (const RunId run : runs) {
        auto labels = m_workspace->labels(run);
        const auto added = tagsFrom(text);
        labels.tags.insert(labels.tags.end(), added.begin(), added.end());
        std::sort(labels.tags.begin(), labels.tags.end());
        labels.tags.erase(std::unique(labels.tags.begin(), labels.tags.end()), labels.tags.end());
        after.push_back(std::move(labels));
    }
    change(std::move(after));
}

void RunLabelling::change(Labels after) {
    Labels before;
    std::erase_if(after, [this](const store::RunLabels& labels) {
        return labels == m_workspace->labels(labels.run);
    });
    if (after.empty())
        return;
    for (const store::RunLabels& labels : after)
        before.push_back(m_workspace->labels(labels.run));
    m_done.push_back({std::move(before), after});
    m_undone.clear();
    write(after);
}

void RunLabelling::undo() {
    if (!canUndo())
        return;
    m_undone.push_back(std::move(m_done.back()));
    m_done.pop_back();
    write(m_undone.back().before);
}

void RunLabelling::redo() {
    if (!canRedo())
        return;
    m_done.push_back(std::move(m_undone.back()));
    m_undone.pop_back();
    write(m_done.back().after);
}

void RunLabelling::write(const Labels& labels) {
    Q_EMIT changed();
    m_workspace->setLabels(labels, [self = QPointer(this)](const Status& written) {
        if (!self || written.hasValue())
            return;
        // What the database has is no longer what the list of changes says.
        self->m_done.clear();
        self->m_undone.clear();
        Q_EMIT self->changed();
        Q_EMIT self->failed(written.error());
    });
}

} // namespace trainscope::app
