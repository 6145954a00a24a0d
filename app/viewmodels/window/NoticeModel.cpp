#include "app/viewmodels/window/NoticeModel.h"

#include <QTimer>

#include <algorithm>

namespace trainscope::app {

namespace {
constexpr int kInformFor = 6000; // ms
}

int NoticeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant NoticeModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& notice = m_notices[static_cast<std::size_t>(index.row())];
    switch (role) {
    case TextRole:
        return notice.text;
    case WhereRole:
        return notice.where;
    case SevereRole:
        return notice.severe;
    case IconRole:
        return notice.severe ? QStringLiteral("error") : QStringLiteral("info");
    default:
        return {};
    }
}

QHash<int, QByteArray> NoticeModel::roleNames() const {
    return {{TextRole, "text"}, {WhereRole, "where"}, {SevereRole, "severe"}, {IconRole, "icon"}};
}

void NoticeModel::error(const Error& error) {
    if (error.code == ErrorCode::Cancelled)
        return;
    add({QString::fromStdString(error.message), QString::fromStdString(error.where), true,
        m_nextId++});
}

void NoticeModel::inform(const QString& text) {
    const int id = m_nextId++;
    add({text, {}, false, id});
    QTimer::singleShot(kInformFor, this, [this, id] {
        const auto found = std::find_if(m_notices.begin(), m_notices.end(),
            [id](const Notice& notice) { return notice.id == id; });
        if (found != m_notices.end())
            dismiss(static_cast<int>(found - m_notices.begin()));
    });
}

void NoticeModel::add(Notice notice) {
    const auto same = std::find_if(m_notices.begin(), m_notices.end(), [&](const Notice& other) {
        return other.text == notice.text && other.where == notice.where;
    });
    if (same != m_notices.end())
        dismiss(static_cast<int>(same - m_notices.begin()));
    if (count() == kKept)
        dismiss(0);
    beginInsertRows({}, count(), count());
    m_notices.push_back(std::move(notice));
    endInsertRows();
    Q_EMIT countChanged();
}

void NoticeModel::dismiss(int row) {
    if (row < 0 || row >= count())
        return;
    beginRemoveRows({}, row, row);
    m_notices.erase(m_notices.begin() + row);
    endRemoveRows();
    Q_EMIT countChanged();
}

void NoticeModel::dismissAll() {
    beginResetModel();
    m_notices.clear();
    endResetModel();
    Q_EMIT countChanged();
}

QString NoticeModel::textOf(int row) const {
    if (row < 0 || row >= count())
        return {};
    const auto& notice = m_notices[static_cast<std::size_t>(row)];
    return notice.where.isEmpty() ? notice.text : tr("%1: %2").arg(notice.where, notice.text);
}

} // namespace trainscope::app
