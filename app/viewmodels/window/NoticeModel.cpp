#include "app/viewmodels/window/NoticeModel.h"

#include "app/viewmodels/text/Texts.h"

#include <QTimer>

namespace trainscope::app {

namespace {
// ms
constexpr int kInformFor = 6000;
constexpr int kOfferFor = 20'000;
} // namespace

NoticeModel::NoticeModel(QObject* parent)
    : RowListModel({{"text", &Notice::text}, {"where", &Notice::where}, {"severe", &Notice::severe},
                       {"icon", &Notice::icon}, {"undoable", &Notice::isUndoable}},
        parent) { }

void NoticeModel::error(const Error& error) {
    if (error.code == ErrorCode::Cancelled)
        return;
    add({shownText(error.message), shownText(error.where), true, m_nextId++, {}});
}

void NoticeModel::inform(const QString& text) {
    addFor(kInformFor, {shownText(text.toStdString()), {}, false, m_nextId++, {}});
}

void NoticeModel::tell(const QString& text) {
    add({shownText(text.toStdString()), {}, false, m_nextId++, {}});
}

void NoticeModel::offerUndo(const QString& text, std::function<void()> undo) {
    addFor(kOfferFor, {shownText(text.toStdString()), {}, false, m_nextId++, std::move(undo)});
}

void NoticeModel::withdrawUndo() {
    while (dismissWhere(&Notice::isUndoable)) { }
}

void NoticeModel::addFor(int milliseconds, Notice notice) {
    const int id = notice.id;
    add(std::move(notice));
    QTimer::singleShot(milliseconds, this,
        [this, id] { dismissWhere([id](const Notice& other) { return other.id == id; }); });
}

void NoticeModel::add(Notice notice) {
    dismissWhere([&notice](const Notice& other) {
        return other.text == notice.text && other.where == notice.where;
    });
    if (count() == kKept)
        dismiss(0);
    addRows(count(), {std::move(notice)});
}

bool NoticeModel::dismissWhere(const std::function<bool(const Notice&)>& isMeant) {
    const auto found = std::ranges::find_if(rows(), isMeant);
    if (found == rows().end())
        return false;
    dismiss(static_cast<int>(found - rows().begin()));
    return true;
}

void NoticeModel::dismiss(int row) {
    if (isThere(row))
        eraseRows(row);
}

void NoticeModel::undo(int row) {
    if (!isThere(row))
        return;
    const auto undo = rows()[static_cast<std::size_t>(row)].undo;
    dismiss(row);
    if (undo)
        undo();
}

QString NoticeModel::textOf(int row) const {
    if (!isThere(row))
        return {};
    const auto& notice = rows()[static_cast<std::size_t>(row)];
    return notice.where.isEmpty() ? notice.text
                                  : QStringLiteral("%1: %2").arg(notice.where, notice.text);
}

} // namespace trainscope::app
