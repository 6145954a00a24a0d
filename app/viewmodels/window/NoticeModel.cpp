#include "app/viewmodels/window/NoticeModel.h"

#include "app/viewmodels/text/ShownText.h"

#include <QTimer>

#include <algorithm>

namespace trainscope::app {

namespace {
constexpr int kInformFor = 6000; // ms
}

NoticeModel::NoticeModel(QObject* parent)
    : RowListModel({{"text", &Notice::text}, {"where", &Notice::where}, {"severe", &Notice::severe},
                       {"icon", &Notice::icon}},
        parent) { }

void NoticeModel::error(const Error& error) {
    if (error.code == ErrorCode::Cancelled)
        return;
    add({shownText(error.message), shownText(error.where), true, m_nextId++});
}

void NoticeModel::inform(const QString& text) {
    const int id = m_nextId++;
    add({shownText(text.toStdString()), {}, false, id});
    QTimer::singleShot(kInformFor, this,
        [this, id] { dismissWhere([id](const Notice& notice) { return notice.id == id; }); });
}

void NoticeModel::add(Notice notice) {
    dismissWhere([&notice](const Notice& other) {
        return other.text == notice.text && other.where == notice.where;
    });
    if (count() == kKept)
        dismiss(0);
    addRows(count(), {std::move(notice)});
}

void NoticeModel::dismissWhere(const std::function<bool(const Notice&)>& isMeant) {
    const auto found = std::find_if(rows().begin(), rows().end(), isMeant);
    dismiss(found == rows().end() ? -1 : static_cast<int>(found - rows().begin()));
}

void NoticeModel::dismiss(int row) {
    if (isThere(row))
        eraseRows(row);
}

QString NoticeModel::textOf(int row) const {
    if (!isThere(row))
        return {};
    const auto& notice = rows()[static_cast<std::size_t>(row)];
    return notice.where.isEmpty() ? notice.text : tr("%1: %2").arg(notice.where, notice.text);
}

} // namespace trainscope::app
