#include "app/viewmodels/FactListModel.h"

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
        Q_EMIT dataChanged(changed, changed, {Label, Value, IsHead, Qt::DisplayRole});
    }
}

QString FactListModel::text() const {
    QString text;
    for (const auto& fact : m_facts)
        text += fact.isHead ? fact.label + QLatin1Char('\n')
                            : QStringLiteral("%1\t%2\n").arg(fact.label, fact.value);
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
        return fact.label;
    case Label:
        return fact.label;
    case Value:
        return fact.value;
    case IsHead:
        return fact.isHead;
    default:
        return {};
    }
}

QHash<int, QByteArray> FactListModel::roleNames() const {
    return {{Label, "label"}, {Value, "value"}, {IsHead, "isHead"}};
}

} // namespace trainscope::app
