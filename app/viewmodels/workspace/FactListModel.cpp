#include "app/viewmodels/workspace/FactListModel.h"

#include <QStringList>

namespace trainscope::app {

QString FactListModel::text() const {
    QString text;
    for (const auto& fact : facts()) {
        QStringList cells{fact.label};
        if (!fact.isHead)
            cells.append(fact.value);
        if (!fact.note.isEmpty())
            cells.append(fact.note);
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return text;
}

QVariant FactListModel::value(const Fact& fact, int role) const {
    switch (role) {
    case Qt::DisplayRole:
    case Label:
        return fact.label;
    case Value:
        return fact.value;
    case IsHead:
        return fact.isHead;
    case Note:
        return fact.note;
    default:
        return {};
    }
}

QHash<int, QByteArray> FactListModel::roleNames() const {
    return {{Label, "label"}, {Value, "value"}, {IsHead, "isHead"}, {Note, "note"}};
}

} // namespace trainscope::app
