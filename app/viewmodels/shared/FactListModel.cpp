#include "app/viewmodels/shared/FactListModel.h"

#include <QStringList>

#include <utility>

namespace trainscope::app {

void FactListModel::setFacts(std::vector<Fact> facts) {
    if (facts.size() != m_facts.size()) {
        beginResetModel();
        m_facts = std::move(facts);
        endResetModel();
        Q_EMIT countChanged();
        return;
    }
    for (std::size_t i = 0; i < facts.size(); ++i) {
        if (facts[i] == m_facts[i])
            continue;
        m_facts[i] = std::move(facts[i]);
        const QModelIndex changed = index(static_cast<int>(i));
        Q_EMIT dataChanged(changed, changed, {Label, Value, IsHead, Note, Qt::DisplayRole});
    }
}

QString FactListModel::text() const {
    QString text;
    for (const auto& fact : m_facts) {
        QStringList cells{fact.label};
        if (!fact.isHead)
            cells.append(fact.value);
        if (!fact.note.isEmpty())
            cells.append(fact.note);
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return text;
}

int FactListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant FactListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Fact& fact = m_facts[static_cast<std::size_t>(index.row())];
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
