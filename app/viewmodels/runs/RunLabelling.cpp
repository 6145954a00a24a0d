#include "app/viewmodels/runs/RunLabelling.h"

#include "core/model/HarmlessText.h"

namespace trainscope::app {

namespace {

void makeList(std::vector<std::string>& tags) {
    std::ranges::sort(tags);
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
}

Error changedSince(const char* what, const std::string& run) {
    return {ErrorCode::Refused,
        std::string(what) + " of '" + run
            + "' was changed in the meantime, by another window or program, and is left as it is.",
        {}};
}

// Puts `to` in the place of `from`, where these differ.
Status turn(store::RunLabels& labels, const store::RunLabels& from, const store::RunLabels& to,
    const std::string& run) {
    if (from.tags != to.tags) {
        if (labels.tags != from.tags)
            return changedSince("The list of tags", run);
        labels.tags = to.tags;
    }
    if (from.note != to.note) {
        if (labels.note != from.note)
            return changedSince("The note", run);
        labels.note = to.note;
    }
    return {};
}

} // namespace

std::vector<std::string> tagsFrom(const QString& text) {
    std::vector<std::string> tags;
    for (const QString& part : text.split(QLatin1Char(','))) {
        if (const QString tag = part.simplified(); !tag.isEmpty())
            tags.push_back(harmless(tag.toStdString()));
    }
    makeList(tags);
    return tags;
}

void RunLabelling::setWorkspace(Workspace* workspace) {
    m_workspace = workspace;
    m_done.clear();
    m_undone.clear();
    Q_EMIT changed();
}

void RunLabelling::setTags(RunId run, const QString& text) {
    change({run}, [tags = tagsFrom(text)](store::RunLabels& labels) { labels.tags = tags; });
}

void RunLabelling::setNote(RunId run, const QString& text) {
    change({run}, [note = harmless(text.trimmed().toStdString())](store::RunLabels& labels) {
        labels.note = note;
    });
}

void RunLabelling::addTags(const std::vector<RunId>& runs, const QString& text) {
    change(runs, [added = tagsFrom(text)](store::RunLabels& labels) {
        labels.tags.insert(labels.tags.end(), added.begin(), added.end());
        makeList(labels.tags);
    });
}

bool RunLabelling::isWriting() const {
    const auto isUnderWay = [](const auto& edit) { return edit->writes > 0; };
    return std::ranges::any_of(m_done, isUnderWay) || std::ranges::any_of(m_undone, isUnderWay);
}

void RunLabelling::change(const std::vector<RunId>& runs, const Change& change) {
    if (!m_workspace)
        return;
    const auto edit = std::make_shared<Edit>();
    const bool isKnown = !isWriting(); // else what is shown is about to be another
    for (const RunId run : runs) {
        const store::RunLabels shown = m_workspace->labels(run);
        store::RunLabels wanted = shown;
        change(wanted);
        const Run* found = m_workspace->findRun(run);
        if (!isKnown || wanted != shown)
            edit->runs[run] = found == nullptr ? std::string() : found->name;
    }
    if (edit->runs.empty())
        return;
    m_done.push_back(edit);
    m_undone.clear();
    write(edit, [edit, change](store::RunLabels& labels) {
        edit->before[labels.run] = labels;
        change(labels);
        edit->after[labels.run] = labels;
        return Status();
    });
}

void RunLabelling::undo() {
    if (!canUndo())
        return;
    const auto edit = m_undone.emplace_back(std::move(m_done.back()));
    m_done.pop_back();
    write(edit, [edit](store::RunLabels& labels) {
        return turn(
            labels, edit->after[labels.run], edit->before[labels.run], edit->runs.at(labels.run));
    });
}

void RunLabelling::redo() {
    if (!canRedo())
        return;
    const auto edit = m_done.emplace_back(std::move(m_undone.back()));
    m_undone.pop_back();
    write(edit, [edit](store::RunLabels& labels) {
        return turn(
            labels, edit->before[labels.run], edit->after[labels.run], edit->runs.at(labels.run));
    });
}

void RunLabelling::write(const std::shared_ptr<Edit>& edit, const store::Relabel& relabel) {
    ++edit->writes;
    Q_EMIT changed();
    std::vector<RunId> runs;
    for (const auto& [run, name] : edit->runs)
        runs.push_back(run);
    m_workspace->changeLabels(runs, relabel, [self = QPointer(this), edit](const Status& written) {
        --edit->writes;
        if (!self || written.hasValue())
            return;
        // The database does not say what it would be turned from.
        std::erase(self->m_done, edit);
        std::erase(self->m_undone, edit);
        Q_EMIT self->changed();
        Q_EMIT self->failed(written.error());
    });
}

} // namespace trainscope::app
